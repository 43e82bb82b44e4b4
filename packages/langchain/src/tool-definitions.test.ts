import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { amortizedForgettingCondenser } from '@palimpsest/condensers';
import { condensedHistory } from '@palimpsest/messages';
import { expect, it } from 'vitest';
import { langchainMessages } from './codec.js';
import { toolDefinitions } from './tool-definitions.js';

const cache_control = { type: 'ephemeral' };
const read = tool(() => '', {
  name: 'read',
  description: 'Reads.',
  schema: { type: 'object' },
  extras: { cache_control, defer_loading: true },
});

it('the marks and extras of a tool survive the conversion, and count among the marks of a request', async () => {
  const bash = { type: 'bash_20250124', name: 'bash' };
  const provided = tool(() => '', { name: 'bash', description: '', extras: { providerToolDefinition: bash } });
  expect(toolDefinitions([read, provided])).toMatchObject([
    { function: { name: 'read' }, cache_control, defer_loading: true },
    bash,
  ]);
  const history = condensedHistory({
    condenser: amortizedForgettingCondenser({ maxSize: 10 }),
    codec: langchainMessages(),
  });
  const list = Array.from({ length: 20 }, (_, index) => {
    if (index % 2 === 1) return new AIMessage('Done.');
    const marks = [0, 2, 8, 18].includes(index) ? { cache_control } : {};
    return new HumanMessage({ content: [{ type: 'text', text: `Message ${index}.`, ...marks }] });
  });
  const { messages } = await history.fit(list, { tools: toolDefinitions([read]) });
  expect(JSON.stringify(messages).split('cache_control').length - 1).toBeLessThan(4);
});
