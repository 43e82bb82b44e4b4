// A loop on `@anthropic-ai/sdk` whose requests stay small, however long it gets. It needs ANTHROPIC_API_KEY, and for another
// server ANTHROPIC_BASE_URL.
import { readFile } from 'node:fs/promises';
import Anthropic from '@anthropic-ai/sdk';
import { pricedCondenser } from '@palimpsest/condensers';
import { anthropicMessages, condensedHistory } from '@palimpsest/messages';

const client = new Anthropic();
const [model, max_tokens] = ['claude-haiku-4-5', 4_000] as const;
const input_schema = { type: 'object' as const, properties: { path: { type: 'string' } }, required: ['path'] };
const tools = [{ name: 'read', description: 'Reads a file.', input_schema }];
const history = condensedHistory({ condenser: pricedCondenser(), codec: anthropicMessages(), model });
const content = 'Read README.md and all pages in docs. What is this project for?';
const conversation: Anthropic.MessageParam[] = [{ role: 'user', content }];

for (;;) {
  const { messages } = await history.fit(conversation, { tools });
  const answer = await client.messages.create({ model, max_tokens, messages, tools });
  conversation.push({ role: 'assistant', content: answer.content });
  const results: Anthropic.ToolResultBlockParam[] = [];
  for (const block of answer.content) {
    if (block.type === 'text') console.log(block.text);
    if (block.type !== 'tool_use') continue;
    const { path } = block.input as { path: string };
    results.push({ type: 'tool_result', tool_use_id: block.id, content: await readFile(path, 'utf8') });
  }
  if (results.length === 0) break;
  conversation.push({ role: 'user', content: results });
}
