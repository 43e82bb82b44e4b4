import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { instructions, readFile, resultOf, task } from './scripted-loop.js';
import type { Way } from './way.js';
// #region ours
import { pricedCondenser } from '@palimpsest/condensers';
import { chatMessages, condensedHistory } from '@palimpsest/messages';
// #endregion

type Messages = OpenAI.Chat.ChatCompletionMessageParam[];

const model = 'gpt-5';
const tools = [
  {
    type: 'function' as const,
    function: { name: readFile.name, description: readFile.description, parameters: readFile.schema },
  },
];

/** Runs the loop that people write, with a place for what is sent of its messages. */
async function loop(
  url: string,
  fetch: typeof globalThis.fetch,
  sent: (messages: Messages) => Messages | Promise<Messages>,
) {
  const client = new OpenAI({ baseURL: url, apiKey: 'key', maxRetries: 0, fetch });
  const messages: Messages = [
    { role: 'system', content: instructions },
    { role: 'user', content: task },
  ];
  for (;;) {
    const answer = await client.chat.completions.create({ model, tools, messages: await sent(messages) });
    const message = answer.choices[0]!.message;
    messages.push(message);
    if (message.tool_calls === undefined) return;
    for (const call of message.tool_calls) {
      if (call.type !== 'function') continue;
      const { path } = JSON.parse(call.function.arguments) as { path: string };
      messages.push({ role: 'tool', tool_call_id: call.id, content: resultOf(path) });
    }
  }
}

// #region newest messages
function newestMessages(messages: Messages, count: number): Messages {
  return messages.length <= count + 2 ? messages : [...messages.slice(0, 2), ...messages.slice(-count)];
}
// #endregion

// #region newest answers
function newestAnswers(messages: Messages, count: number): Messages {
  let start = Math.max(2, messages.length - count);
  while (messages[start]?.role === 'tool') start--;
  return [...messages.slice(0, 2), ...messages.slice(start)];
}
// #endregion

function ours() {
  // #region ours
  const history = condensedHistory({ condenser: pricedCondenser(), codec: chatMessages(), model });
  return async (messages: Messages) => (await history.fit(messages, { tools })).messages;
  // #endregion
}

const file = fileURLToPath(import.meta.url);
const chat = { loop: '`openai`, Chat Completions', api: 'openai' as const };

export const openaiChat: readonly Way[] = [
  { ...chat, name: 'none', source: { file }, run: (url, fetch) => loop(url, fetch, (messages) => messages) },
  {
    ...chat,
    name: 'the newest 20 messages, as people write it',
    source: { file, region: 'newest messages' },
    run: (url, fetch) => loop(url, fetch, (messages) => newestMessages(messages, 20)),
  },
  {
    ...chat,
    name: 'the newest 20, cut before an answer',
    source: { file, region: 'newest answers' },
    run: (url, fetch) => loop(url, fetch, (messages) => newestAnswers(messages, 20)),
  },
  { ...chat, name: 'ours', source: { file, region: 'ours' }, run: (url, fetch) => loop(url, fetch, ours()) },
];
