import {
  field,
  isRecord,
  listOf,
  readAnthropicMessage,
  startOfConversation,
  textOf,
  toolInput,
} from '@palimpsest/llm-adapters/wire';
import type { CallChange, Codec, MessageChanges, ResultChange } from './codec.js';
import { anthropicContent, changedContent, markedContent, marksIn, unmarked } from './parts.js';
import { withPreambles } from './preambles.js';

/** A message of the Messages API, of any version of the SDK. */
export interface AnthropicMessageLike {
  readonly role: string;
}

/** A tool as the Messages API declares it. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: 'object'; [key: string]: unknown };
}

/** Returns the codec of Anthropic's Messages API, as the SDK `@anthropic-ai/sdk` holds them. */
export function anthropicMessages(): Codec<AnthropicMessageLike, AnthropicTool> {
  return {
    name: 'anthropic',
    returnsNewPieces: true,
    mergesAnswers: true,
    read: (message) => {
      const host = withPreambles(readAnthropicMessage(message));
      const isBarrier = listOf(field(message, 'content')).some((block) => field(block, 'type') === 'compaction');
      return isBarrier ? { ...host, isBarrier, replacesBefore: true } : host;
    },
    summary: (text) => ({ role: 'user', content: text }) as AnthropicMessageLike,
    changed: changedMessage,
    extracted,
    marks: (message) => marksIn(field(message, 'content')),
    marked: (message, mark) => {
      const content = markedContent(field(message, 'content'), mark);
      return content === undefined ? undefined : ({ ...message, content } as AnthropicMessageLike);
    },
    arranged,
    result: ({ text, images, files }) => [...anthropicContent([{ type: 'text', text }, ...images]), ...files],
    tool: ({ name, description, inputSchema }) => ({
      name,
      description,
      input_schema: { ...inputSchema, type: 'object' },
    }),
  };
}

/**
 * A list begins with the user. A message of the role `system` follows the user and precedes the model, or is the last. Where a
 * condensation has changed that, the user's role is what the provider takes at any place. Of settings alone, those of hidden answers go.
 *
 * @see provider-rules A2, A3 and A10
 */
function arranged(messages: readonly AnthropicMessageLike[]): readonly AnthropicMessageLike[] {
  const isSystem = (message: unknown) => field(message, 'role') === 'system';
  const placed = messages.flatMap((message, index) => {
    if (!isSystem(message)) return [message];
    const before = messages.slice(0, index).findLast((one) => !isSystem(one));
    const after = messages.slice(index + 1).find((one) => !isSystem(one));
    const stands = field(before, 'role') === 'user' && (field(after, 'role') ?? 'assistant') === 'assistant';
    const holdsSettings = isOnlySettings(message);
    if (stands) return holdsSettings && isOnlySettings(messages[index + 1]) ? [] : [message];
    if (holdsSettings) return [];
    const { output_config: _, ...rest } = message as AnthropicMessageLike & { output_config?: unknown };
    return [{ ...rest, role: 'user' }];
  });
  if (field(placed[0], 'role') !== 'assistant') return placed;
  return [{ role: 'user', content: startOfConversation } as AnthropicMessageLike, ...placed];
}

/** pi sends settings for the next answer alone. */
function isOnlySettings(message: unknown): boolean {
  const isEmpty = listOf(field(message, 'content')).length === 0 && textOf(field(message, 'content')) === undefined;
  return isEmpty && field(message, 'role') === 'system' && isRecord(field(message, 'output_config'));
}

/** Results stay before words, and each block in its place. */
function changedMessage(message: AnthropicMessageLike, changes: MessageChanges): AnthropicMessageLike | undefined {
  const content = field(message, 'content');
  if (typeof content === 'string') {
    if (changes.words === undefined) return message;
    return changes.words === 'left-out' ? undefined : withContent(message, anthropicContent(changes.words));
  }
  if (!Array.isArray(content)) return message;
  const blocks: readonly unknown[] = content;
  let hasNewWords = false;
  const changed = blocks.flatMap((block): readonly unknown[] => {
    switch (field(block, 'type')) {
      case 'thinking':
      case 'redacted_thinking':
        return changes.thinking === undefined ? [block] : [];
      case 'tool_use':
        return changedCall(block, changes.calls?.get(textOf(field(block, 'id')) ?? ''));
      case 'tool_result':
        return changedResult(block, changes.results?.get(textOf(field(block, 'tool_use_id')) ?? ''));
      default: {
        if (changes.words === undefined) return [block];
        if (changes.words === 'left-out' || hasNewWords) return [];
        hasNewWords = true;
        return anthropicContent(changes.words);
      }
    }
  });
  if (changed.length === blocks.length && changed.every((block, index) => block === blocks[index])) return message;
  return changed.every(isBlank) ? undefined : withContent(message, changed);
}

function changedCall(block: unknown, change: CallChange | undefined): readonly unknown[] {
  if (change === undefined || !isRecord(block)) return [block];
  return change === 'left-out' ? [] : [{ ...block, input: toolInput(change.arguments) }];
}

function changedResult(block: unknown, change: ResultChange | undefined): readonly unknown[] {
  if (change === undefined || !isRecord(block)) return [block];
  if (change === 'left-out') return [];
  return [{ ...block, content: changedContent(block['content'], change, anthropicContent) }];
}

function extracted(message: AnthropicMessageLike, id: string, as: string): AnthropicMessageLike | undefined {
  const [type, key] = message.role === 'assistant' ? ['tool_use', 'id'] : ['tool_result', 'tool_use_id'];
  const block = listOf(field(message, 'content')).findLast(
    (one) => field(one, 'type') === type && (textOf(field(one, key)) ?? '') === id,
  );
  return isRecord(block) ? withContent(message, [{ ...(unmarked(block) as object), [key]: as }]) : undefined;
}

/** A message whose only text is blank is refused. */
function isBlank(block: unknown): boolean {
  return field(block, 'type') === 'text' && String(field(block, 'text')).trim() === '';
}

function withContent(message: AnthropicMessageLike, content: unknown): AnthropicMessageLike {
  return { ...message, content } as AnthropicMessageLike;
}
