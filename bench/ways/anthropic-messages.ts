import Anthropic from '@anthropic-ai/sdk';
import { fileURLToPath } from 'node:url';
import { instructions, readFile, resultOf, task } from './scripted-loop.js';
import type { Way } from './way.js';
// #region ours
import { pricedCondenser } from '@palimpsest/condensers';
import { anthropicMessages, condensedHistory } from '@palimpsest/messages';
// #endregion

type Messages = Anthropic.MessageParam[];

const model = 'claude-haiku-4-5';
const tools = [{ name: readFile.name, description: readFile.description, input_schema: readFile.schema }];

/**
 * Runs the loop that people write, with a place for what is sent of its messages. The server marks the newest block for its
 * cache.
 */
async function loop(
  url: string,
  fetch: typeof globalThis.fetch,
  sent: (messages: Messages) => Messages | Promise<Messages>,
) {
  const client = new Anthropic({ baseURL: url, apiKey: 'key', maxRetries: 0, fetch });
  const messages: Messages = [{ role: 'user', content: task }];
  const settings = {
    model,
    max_tokens: 1_000,
    system: instructions,
    cache_control: { type: 'ephemeral' as const },
    tools,
  };
  for (;;) {
    const { content } = await client.messages.create({ ...settings, messages: await sent(messages) });
    messages.push({ role: 'assistant', content });
    const results = content.flatMap((block) =>
      block.type === 'tool_use'
        ? [
            {
              type: 'tool_result' as const,
              tool_use_id: block.id,
              content: resultOf((block.input as { path: string }).path),
            },
          ]
        : [],
    );
    if (results.length === 0) return;
    messages.push({ role: 'user', content: results });
  }
}

// #region context management
const edit = {
  type: 'clear_tool_uses_20250919' as const,
  trigger: { type: 'input_tokens' as const, value: 100_000 },
  keep: { type: 'tool_uses' as const, value: 3 },
} satisfies Anthropic.Beta.BetaClearToolUses20250919Edit;
// #endregion

/**
 * Clears results as Anthropic's servers do with `clear_tool_uses_20250919`, after its public description. Above the trigger,
 * results but the newest are replaced by a placeholder, at each request anew.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/context-editing
 */
function asCleared(messages: Messages): Messages {
  if (JSON.stringify([tools, instructions, messages]).length / 4 < edit.trigger.value) return messages;
  const results = messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.filter(({ type }) => type === 'tool_result') : [],
  );
  const cleared = new Set<object>(results.slice(0, -edit.keep.value));
  return messages.map((message) => {
    if (message.role !== 'user' || typeof message.content === 'string') return message;
    const content = message.content.map((block) =>
      block.type === 'tool_result' && cleared.has(block) ? { ...block, content: '[cleared]' } : block,
    );
    return { ...message, content };
  });
}

function ours() {
  // #region ours
  const history = condensedHistory({ condenser: pricedCondenser(), codec: anthropicMessages(), model });
  return async (messages: Messages) => (await history.fit(messages, { system: instructions, tools })).messages;
  // #endregion
}

const file = fileURLToPath(import.meta.url);
const messagesApi = { loop: '`@anthropic-ai/sdk`, Messages', api: 'anthropic' as const };

export const anthropicLoop: readonly Way[] = [
  { ...messagesApi, name: 'none', source: { file }, run: (url, fetch) => loop(url, fetch, (messages) => messages) },
  {
    ...messagesApi,
    name: '`clear_tool_uses`, imitated',
    source: { file, region: 'context management' },
    run: (url, fetch) => loop(url, fetch, asCleared),
  },
  { ...messagesApi, name: 'ours', source: { file, region: 'ours' }, run: (url, fetch) => loop(url, fetch, ours()) },
];
