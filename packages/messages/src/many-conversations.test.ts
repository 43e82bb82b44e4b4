import { amortizedForgettingCondenser, extractiveSummaryCondenser } from '@palimpsest/condensers';
import type { Condenser } from '@palimpsest/view';
import { expect, it } from 'vitest';
import { addChatStep, chatHistory } from '../test-support/chat-loop.js';
import type { ChatMessage } from '../test-support/chat-loop.js';
import { chatMessages, condensedHistory } from './index.js';

const codec = chatMessages();

/** Sub-agents with one task: equal until the first answer. */
function subAgents(count: number): ChatMessage[][] {
  return Array.from({ length: count }, (_, agent) => [
    ...chatHistory(0),
    { role: 'assistant' as const, content: `I am agent ${agent}.` },
    { role: 'user' as const, content: 'Go on.' },
  ]);
}

it('many parallel conversations with one first message are not read again, and do not wait for each other', async () => {
  let reads = 0;
  const read: typeof codec.read = (message) => {
    reads++;
    return codec.read(message);
  };
  const slow: Condenser = {
    name: 'slow',
    condense: (view) => {
      const isFirst = [...view.events].some((event) => JSON.stringify(event).includes('I am agent 0.'));
      return isFirst ? new Promise(() => undefined) : view;
    },
  };
  const history = condensedHistory({ condenser: slow, codec: { ...codec, read } });
  const abort = new AbortController();
  const lists = subAgents(20);
  const first = history.fit(lists[0] ?? [], { signal: abort.signal });
  const others = lists.slice(1);
  for (const list of others) await history.fit(list.slice(0, 2));
  reads = 0;
  for (let step = 0; step < 3; step++) {
    for (const list of others) await history.fit(list);
    for (const list of others) addChatStep(list, step);
  }
  // Each message once; those of the beginning, and those that may continue an answer, twice.
  expect(reads).toBeLessThan(others.length * 17);
  abort.abort(new Error('done'));
  await expect(first).rejects.toThrow('done');
});

it('memory is bounded by bytes: those that were not used for longest are given up', async () => {
  const condenser = amortizedForgettingCondenser({ maxSize: 30 });
  const history = condensedHistory({ condenser, codec, maxMemoryBytes: 500_000 });
  const lists = Array.from({ length: 20 }, (_, index) =>
    chatHistory(10).with(1, { role: 'user', content: `Task ${index}.` }),
  );
  for (const list of lists) await history.fit(list);
  const size = JSON.stringify(lists[0]).length;
  expect(history.memoryBytes).toBeGreaterThan(500_000 - 10 * size);
  expect(history.memoryBytes).toBeLessThanOrEqual(500_000);
  // One that is larger than all memory is kept while it is in use.
  const large = chatHistory(300);
  await history.fit(large);
  expect(history.memoryBytes).toBeGreaterThan(500_000);
  expect((await history.fit(large)).condensations).toEqual([]);
});

it('one history serves several models of one conversation', async () => {
  const windows: (number | undefined)[] = [];
  const summarising = extractiveSummaryCondenser({ maxSize: 30, keepFirst: 2 });
  const condenser: Condenser = {
    ...summarising,
    condense: (view, context) => {
      windows.push(context.contextWindow);
      return summarising.condense(view, context);
    },
  };
  const history = condensedHistory({ condenser, codec, model: 'gpt-4o' });
  const list = chatHistory(30);
  const { messages, condensations } = await history.fit(list);
  const other = await history.fit(list, { model: { model: 'small', contextWindow: 8_000 } });
  expect(condensations).toHaveLength(1);
  expect(other.condensations).toEqual([]);
  expect(other.messages).toEqual(messages);
  await history.fit(list, { model: 'claude-opus-5-5' });
  expect([...new Set(windows)]).toEqual([128_000, 8_000, expect.any(Number)]);
  const fitted = await history.fit(list, { model: 'claude-opus-5-5' });
  await history.used({ input_tokens: 1_000, cache_read_input_tokens: 0, output_tokens: 5 }, fitted);
  const { view } = await history.fit(list);
  expect([...view.internalEvents].filter(({ type }) => type === 'llm-usage')).toMatchObject([
    { model: 'claude-opus-5-5' },
  ]);
});
