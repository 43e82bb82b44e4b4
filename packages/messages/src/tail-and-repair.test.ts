import { extractiveSummaryCondenser, noOpCondenser } from '@palimpsest/condensers';
import { anthropicServer } from '@palimpsest/provider-servers';
import Anthropic from '@anthropic-ai/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { addAnthropicStep, anthropicHistory } from '../test-support/anthropic-loop.js';
import type { AnthropicMessage } from '../test-support/anthropic-loop.js';
import { addChatStep, chatHistory } from '../test-support/chat-loop.js';
import type { ChatMessage } from '../test-support/chat-loop.js';
import { anthropicMessages, chatMessages, condensedHistory } from './index.js';

it('a tail is sent behind the list, counts, and no condensation depends on it', async () => {
  const fixed: (number | undefined)[] = [];
  const summarising = extractiveSummaryCondenser({ maxSize: 30, keepFirst: 2 });
  const condenser = {
    ...summarising,
    condense: (...[view, context]: Parameters<typeof summarising.condense>) => {
      fixed.push(context.fixedTokens);
      return summarising.condense(view, context);
    },
  };
  const history = condensedHistory({ condenser, codec: chatMessages() });
  const list = chatHistory(20);
  let made = 0;
  for (let step = 20; step < 40; step++) {
    addChatStep(list, step);
    const tail: ChatMessage[] = [{ role: 'user', content: `Step ${step}. ${'word '.repeat(100)}` }];
    const { messages, condensations } = await history.fit(list, { tail });
    expect(messages.at(-1)).toBe(tail[0]);
    expect(messages.at(-2)).toBe(list.at(-1));
    made += condensations.length;
  }
  expect(made).toBeLessThan(6);
  expect(fixed[0]).toBeGreaterThan(100);
});

it('a tail never makes a model that binds its thinking refuse a request', async () => {
  const server = await anthropicServer({
    reply: (_, index) => ({
      content: [
        { type: 'thinking', thinking: `Thought ${index}.`, signature: '' },
        { type: 'text', text: `Answer ${index}.` },
      ],
    }),
  });
  onTestFinished(() => server.close());
  const client = new Anthropic({ baseURL: server.baseURL, apiKey: 'key', maxRetries: 0 });
  const model = 'claude-opus-5-5';
  const history = condensedHistory({ condenser: noOpCondenser(), codec: anthropicMessages(), model });
  const list: AnthropicMessage[] = [{ role: 'user', content: 'Go.' }];
  for (let step = 0; step < 6; step++) {
    const tail = step % 2 === 0 ? [{ role: 'user', content: `Reminder ${step}.` }] : undefined;
    const { messages } = await history.fit<AnthropicMessage>(list, { tail });
    const { content } = await client.messages.create({ model, max_tokens: 1_000, messages });
    list.push({ role: 'assistant', content }, { role: 'user', content: 'Go on.' });
  }
  expect(server.requests).toHaveLength(6);
});

it('a list that an abort left dirty is repaired where the host asks for it', async () => {
  const server = await anthropicServer({ reply: () => ({ content: [{ type: 'text', text: 'Yes.' }] }) });
  onTestFinished(() => server.close());
  const client = new Anthropic({ baseURL: server.baseURL, apiKey: 'key', maxRetries: 0 });
  const tools: Anthropic.Tool[] = [{ name: 'read', input_schema: { type: 'object' } }];
  const call = (id: string) => ({ type: 'tool_use' as const, id, name: 'read', input: {} });
  const result = (id: string) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'Read.' });
  const list = anthropicHistory(1);
  // Aborted before the results, between two results, and before a word.
  list.push({ role: 'assistant', content: [{ type: 'text', text: 'I read.' }, call('a'), call('b')] });
  list.push({ role: 'user', content: 'Stop. Go on.' });
  addAnthropicStep(list, 1);
  list.push({ role: 'assistant', content: [call('c'), call('d')] }, { role: 'user', content: [result('c')] });
  list.push({ role: 'user', content: [result('nobody')] }, { role: 'assistant', content: [] });
  list.push({ role: 'user', content: 'And now?' });
  const before = structuredClone(list);
  const codec = anthropicMessages();
  const [plain, repairing] = [undefined, true].map((repair) =>
    condensedHistory({ condenser: noOpCondenser(), codec, repair }),
  );
  const { messages } = (await repairing?.fit(list, { tools })) ?? { messages: [] };
  const sent = JSON.stringify(messages);
  expect(sent).toContain('I read.');
  expect(sent).toContain('Stop. Go on.');
  expect(sent).toContain('"c"');
  for (const id of ['"a"', '"b"', '"d"', 'nobody']) expect(sent).not.toContain(id);
  await client.messages.create({ model: 'claude-haiku-4-5', max_tokens: 100, tools, messages });
  expect(list).toEqual(before);
  expect((await plain?.fit(list, { tools }))?.messages).toEqual(list);
  // A clean list is left alone, and a call is sent when its result has come.
  const clean = anthropicHistory(3);
  expect((await repairing?.fit(clean, { tools }))?.state).toBe('untouched');
});
