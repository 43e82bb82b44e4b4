// A loop on `openai` whose requests stay small, however long it gets. It needs OPENAI_API_KEY, and for another server
// OPENAI_BASE_URL.
import { readFile } from 'node:fs/promises';
import { pricedCondenser } from '@palimpsest/condensers';
import { chatMessages, condensedHistory } from '@palimpsest/messages';
import OpenAI from 'openai';

const client = new OpenAI();
const model = 'gpt-5';
const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const tools: OpenAI.Chat.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'read', description: 'Reads a file.', parameters } },
];
const history = condensedHistory({ condenser: pricedCondenser(), codec: chatMessages(), model });
const content = 'Read README.md and all pages in docs. What is this project for?';
const conversation: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: 'user', content }];

for (;;) {
  const { messages } = await history.fit(conversation, { tools });
  const { choices } = await client.chat.completions.create({ model, messages, tools });
  const answer = choices[0]!.message;
  conversation.push(answer);
  if (answer.content !== null) console.log(answer.content);
  if (answer.tool_calls === undefined) break;
  for (const call of answer.tool_calls) {
    const { path } = JSON.parse(call.type === 'function' ? call.function.arguments : '{}') as { path: string };
    conversation.push({ role: 'tool', tool_call_id: call.id, content: await readFile(path, 'utf8') });
  }
}
