import { field, responsesItems, textOf } from '@palimpsest/messages';
import type { Codec } from '@palimpsest/messages';
import { readItem } from './agent-item.js';
import type { AgentItem } from './agent-item.js';
import { changedItem } from './changed-item.js';

/** A file of a message as a part of what a tool returns. */
function outputFile(part: unknown): unknown {
  if (field(part, 'type') !== 'input_file') return part;
  const [held, filename] = [field(part, 'file'), textOf(field(part, 'filename'))];
  const [, mediaType, data] = /^data:([^;,]*)[^,]*,(.*)$/is.exec(textOf(held) ?? '') ?? [];
  const file = data === undefined ? held : { data, mediaType, ...(filename === undefined ? {} : { filename }) };
  return { type: 'file', file };
}

/**
 * Returns the codec of the items of the Agents SDK, which a session holds and a model gets. Calls of hosted tools,
 * searches for tools, compactions and whatever is unknown pass through as they are. Arguments for a shell, a computer
 * or a patch, and screenshots, cannot be masked: they stay, or go with their call.
 */
export function agentItems(): Codec<AgentItem> {
  return {
    name: 'openai-agents',
    returnsNewPieces: true,
    mergesAnswers: true,
    read: readItem,
    summary: (text) => ({ type: 'message', role: 'user', content: text }),
    changed: changedItem,
    result: ({ text, images, files }) => [
      { type: 'text', text },
      ...images.map(({ url }) => ({ type: 'image', image: url })),
      ...files.map(outputFile),
    ],
    extracted: extractedItem,
    tool: (definition) => responsesItems().tool(definition),
  };
}

/** A call or a result is an item of its own. */
function extractedItem(item: AgentItem, id: string, as: string): AgentItem | undefined {
  const [piece] = readItem(item).pieces;
  const named = piece?.type === 'call' ? piece.id : piece?.type === 'result' ? piece.toolCallId : undefined;
  if (named !== id) return undefined;
  const { id: _id, ...rest } = item as Readonly<Record<string, unknown>>;
  return { ...rest, callId: as };
}
