import { extractiveSummaryCondenser } from '@palimpsest/condensers';
import { expect, it } from 'vitest';
import { addAnthropicStep, anthropicHistory } from '../test-support/anthropic-loop.js';
import { anthropicMessages, condensedHistory } from './index.js';

const mark = { cache_control: { type: 'ephemeral' } } as const;
const marksIn = (value: unknown) => JSON.stringify(value).split('cache_control').length - 1;

it('never sends more marks than the list has, also where a marked message stands before a summary', async () => {
  const condenser = extractiveSummaryCondenser({ maxSize: 12, keepFirst: 1 });
  const history = condensedHistory({ condenser, codec: anthropicMessages() });
  const list = anthropicHistory(1);
  list[0] = { role: 'user', content: [{ type: 'text', text: 'Read all the files.', ...mark }] };
  let condensed = 0;
  for (let step = 1; step < 12; step++) {
    addAnthropicStep(list, step);
    const marked = list.map((message, index) => {
      const { content } = message;
      if (index < list.length - 3 || message.role !== 'user' || typeof content === 'string') return message;
      return { ...message, content: content.map((block, at) => (at === 0 ? { ...block, ...mark } : block)) };
    });
    const { messages, state } = await history.fit(marked);
    if (state === 'condensed') condensed++;
    expect(marksIn(marked)).toBe(3);
    expect(marksIn(messages)).toBe(3);
    expect(messages[0]).toBe(marked[0]);
  }
  expect(condensed).toBeGreaterThan(4);
});
