import { isMeaningful } from '@palimpsest/events';
import type { KnownContent, KnownThinkingBlock, Message } from '@palimpsest/events';
import { Memo } from '../memo.js';
import { sentIdsOf } from '../wire/call-ids.js';
import type { CallIds } from '../wire/call-ids.js';
import { imageSource } from '../wire/images.js';
import type { ImageMediaType } from '../wire/images.js';
import type { SendableAssistantMessage, SendableMessage, SendableToolMessage } from '../wire/sendable-message.js';
import { failedSilently, imageNotShown, noWords, sendableMessage } from '../wire/sendable-message.js';
import { toolInput } from '../wire/tool-input.js';
import { sentNamesOf } from '../wire/tool-names.js';
import type { ToolNames } from '../wire/tool-names.js';

// Writes a neutral message as blocks of the Messages API. The adapter decides the order, start and end of the message list,
// because they depend on the model.

/** A block of text. */
export interface AnthropicText {
  type: 'text';
  text: string;
}

/** A block of an image. */
interface AnthropicImage {
  type: 'image';
  source: { type: 'url'; url: string } | { type: 'base64'; media_type: ImageMediaType; data: string };
}

/** A block that a request sends. */
export type AnthropicBlock =
  | AnthropicText
  | AnthropicImage
  | { type: 'tool_use'; id: string; name: string; input: Readonly<Record<string, unknown>> }
  | { type: 'tool_result'; tool_use_id: string; content?: (AnthropicText | AnthropicImage)[]; is_error?: true }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string };

/** The options of writing a message. */
export interface BlockWriting {
  readonly ids: CallIds;
  readonly names: Pick<ToolNames, 'toWire'>;
  /** False if the model would refuse it. */
  readonly replaysThinking: boolean;
}

const written = new Memo<Message, readonly AnthropicBlock[]>();

/**
 * Writes a message as blocks; an empty message gives none. Write messages in order: the ids of calls depend on the earlier
 * messages. The blocks are well-formed. Those of a frozen message are remembered, shared by all calls, and frozen.
 */
export function messageBlocks(message: Message, writing: BlockWriting): readonly AnthropicBlock[] {
  const sentIds = sentIdsOf(message, writing.ids);
  const sentNames = sentNamesOf(message, writing.names);
  const leavesOutThinking =
    !writing.replaysThinking && message.role === 'assistant' && message.thinkingBlocks !== undefined;
  const write = () => blocksOf(sendableMessage(message), { sentIds, sentNames, leavesOutThinking });
  return written.of(message, write, [leavesOutThinking, sentIds.length, ...sentIds, ...sentNames]);
}

/**
 * The form in which a message is written: under which ids its calls or its result, under which names its calls, and
 * with which thinking.
 */
interface Written {
  readonly sentIds: readonly string[];
  readonly sentNames: readonly string[];
  readonly leavesOutThinking: boolean;
}

function blocksOf(message: SendableMessage, written: Written): AnthropicBlock[] {
  switch (message.role) {
    case 'system':
      return textBlocks(message.content);
    case 'user':
      return contentBlocks(message.content);
    case 'assistant':
      return assistantBlocks(message, written);
    case 'tool':
      return resultBlocks(message, written);
  }
}

/** Text, then calls, with each thinking block at its original position. */
function assistantBlocks(
  message: SendableAssistantMessage,
  { sentIds, sentNames, leavesOutThinking }: Written,
): AnthropicBlock[] {
  const { content, toolCalls = [] } = message;
  const parts: (AnthropicBlock | undefined)[] = [
    // Only user messages can hold images.
    ...content.map((part) => (isMeaningful(part) ? textOfPart(part) : undefined)),
    ...toolCalls.map((call, index) => ({
      type: 'tool_use' as const,
      id: sentIds[index] ?? call.id,
      name: sentNames[index] ?? call.name,
      input: toolInput(call.arguments),
    })),
  ];
  const thinking = leavesOutThinking ? [] : (message.thinkingBlocks ?? []);
  const blocks: AnthropicBlock[] = [];
  let replayed = 0;
  const replay = (upTo: number) => {
    for (
      let next = thinking[replayed];
      next !== undefined && (next.position ?? 0) <= upTo;
      next = thinking[++replayed]
    ) {
      const block = thinkingBlock(next);
      if (block !== undefined) blocks.push(block);
    }
  };
  parts.forEach((part, index) => {
    replay(index);
    if (part !== undefined) blocks.push(part);
  });
  replay(Number.POSITIVE_INFINITY);
  // A turn may not end in thinking. The text is added to the message, not to the end of the turn, so that a later message of
  // the same turn changes nothing.
  if (isThinking(blocks.at(-1))) blocks.push(textBlock(noWords));
  return blocks;
}

/** Returns true for a block that must be sent back unchanged. */
export function isThinking(block: { readonly type: string } | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking';
}

/** Returns the block, if it has a signature. One without is from another provider, and Anthropic would refuse it. */
function thinkingBlock(block: KnownThinkingBlock): AnthropicBlock | undefined {
  if (block.type === 'redacted-thinking') return { type: 'redacted_thinking', data: block.data };
  if (block.signature === undefined) return undefined;
  return { type: 'thinking', thinking: block.thinking, signature: block.signature };
}

/**
 * Returns the result, and the blocks that it cannot hold: images of an error, because error results accept only text.
 */
function resultBlocks(message: SendableToolMessage, { sentIds: [sentId] }: Written): AnthropicBlock[] {
  const blocks = contentBlocks(message.content);
  const result = { type: 'tool_result' as const, tool_use_id: sentId ?? message.toolCallId };
  if (message.isError !== true) return [{ ...result, ...(blocks.length === 0 ? {} : { content: blocks }) }];
  const texts = blocks.filter(({ type }) => type === 'text');
  const images = blocks.filter(({ type }) => type === 'image');
  return [{ ...result, content: texts.length === 0 ? [textBlock(failedSilently)] : texts, is_error: true }, ...images];
}

function contentBlocks(content: readonly KnownContent[]): (AnthropicText | AnthropicImage)[] {
  return content.filter(isMeaningful).map((part): AnthropicText | AnthropicImage => {
    if (part.type === 'text') return textBlock(part.text);
    const source = imageSource(part);
    switch (source.type) {
      case 'url':
        return { type: 'image', source: { type: 'url', url: source.url } };
      case 'base64':
        return { type: 'image', source: { type: 'base64', media_type: source.mediaType, data: source.data } };
      case 'unsupported':
        return textBlock(imageNotShown(source.reason));
    }
  });
}

export function textBlocks(content: readonly KnownContent[]): AnthropicText[] {
  return content.filter(isMeaningful).map(textOfPart);
}

function textOfPart(part: KnownContent): AnthropicText {
  return textBlock(part.type === 'text' ? part.text : imageNotShown('it stands where only text can'));
}

export function textBlock(text: string): AnthropicText {
  return { type: 'text', text };
}
