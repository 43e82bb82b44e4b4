import { amortizedForgettingCondenser } from '@palimpsest/condensers';
import { memoryEventStore } from '@palimpsest/events';
import { openaiServer } from '@palimpsest/provider-servers';
import OpenAI from 'openai';
import { expect, it, onTestFinished } from 'vitest';
import { addChatStep, chatHistory } from '../test-support/chat-loop.js';
import type { ChatMessage } from '../test-support/chat-loop.js';
import { chatMessages, condensedHistory } from './index.js';
import { historyTools } from './tools/index.js';

const codec = chatMessages();
const condenser = amortizedForgettingCondenser({ maxSize: 40 });

it('a result larger than the window is cut at the first request, before anything else goes, and said', async () => {
  const history = condensedHistory({ condenser, codec, historyTools: historyTools(), contextWindow: 10_000 });
  const list = chatHistory(5);
  const content = `The beginning. ${'word '.repeat(20_000)}The end.`;
  const call = list.at(-2) as ChatMessage & { role: 'assistant' };
  list.push({ ...call, tool_calls: [{ id: 'large', type: 'function', function: { name: 'read', arguments: '{}' } }] });
  list.push({ role: 'tool', tool_call_id: 'large', content });
  const { messages, condensations, reports, tokensAfter } = await history.fit(list, { tools: history.tools });
  expect(messages.slice(0, -1)).toEqual(list.slice(0, -1));
  expect(condensations).toMatchObject([{ forgottenEventIds: [], metadata: { reason: 'large-result' } }]);
  expect(reports).toMatchObject([{ outcome: 'cut' }]);
  expect(messages.at(-1)?.content).toMatch(
    /^The beginning\. [^]*\[\d+ characters are left out here[^]*Address: \w+\. recall returns the original\.\][^]* The end\.$/,
  );
  expect(tokensAfter).toBeLessThan(4_000);
  // The next request sends the same.
  addChatStep(list, 5);
  expect((await history.fit(list, { tools: history.tools })).messages.slice(0, messages.length)).toEqual(messages);
});

it('a hard reset cuts the largest result before it drops steps', async () => {
  const make = () => condensedHistory({ condenser: { name: 'idle', condense: (view) => view }, codec });
  const history = make();
  const list = chatHistory(20);
  list.splice(7, 1, { ...(list[7] as ChatMessage & { role: 'tool' }), content: 'word '.repeat(15_000) });
  const fitted = await history.fit(list);
  const again = await history.afterError(
    Object.assign(new Error("This model's maximum context length is 12000 tokens."), { status: 400 }),
    fitted,
  );
  expect(again?.condensations).toMatchObject([{ forgottenEventIds: [], metadata: { reason: 'large-result' } }]);
  const large = chatHistory(20);
  for (const at of [5, 7]) large.splice(at, 1, { ...large[at], content: 'word '.repeat(5_000) } as ChatMessage);
  const other = make();
  const second = await other.afterError(
    Object.assign(new Error("This model's maximum context length is 12000 tokens."), { status: 400 }),
    await other.fit(large),
  );
  expect(second?.condensations).toMatchObject([{ forgottenEventIds: [], metadata: { reason: 'hard-reset' } }]);
  expect(second?.messages).toHaveLength(large.length);
});

it('a window that a refusal told is kept for the model and the conversation, after a restart too', async () => {
  let calls = 0;
  const server = await openaiServer({
    contextWindow: 9_000,
    reply: () => {
      const call = { id: `call_${calls++}`, type: 'function', function: { name: 'read', arguments: '{}' } };
      return { message: { role: 'assistant', content: null, tool_calls: [call] } };
    },
  });
  onTestFinished(() => server.close());
  const client = new OpenAI({ baseURL: server.baseURL, apiKey: 'key', maxRetries: 0 });
  const store = memoryEventStore();
  const make = () => condensedHistory({ condenser, codec, store });
  let history = make();
  const tools: OpenAI.Chat.ChatCompletionTool[] = [
    { type: 'function', function: { name: 'read', parameters: { type: 'object' } } },
  ];
  const list: ChatMessage[] = [{ role: 'user', content: 'Read.' }];
  for (let step = 0; step < 40; step++) {
    if (step === 30) history = make();
    const { choices } = await history.withOverflow(
      list,
      (messages) => client.chat.completions.create({ model: 'gpt-4o', messages, tools }),
      { tools },
    );
    const message = choices[0]?.message as ChatMessage & { role: 'assistant' };
    list.push(message);
    for (const { id } of message.tool_calls ?? []) {
      list.push({ role: 'tool', tool_call_id: id, content: `${id}: ${'word '.repeat(800)}` });
    }
  }
  expect(server.requests.length - 40).toBeLessThan(3);
});
