import { isMeaningful } from '@palimpsest/events';
import type { AssistantMessage, ContentPart, KnownContent, KnownThinkingBlock, Message } from '@palimpsest/events';
import type OpenAI from 'openai';
import { deepFreeze, Memo } from '../../memo.js';
import { callIds, distinctIds, shortHash } from '../../wire/call-ids.js';
import type { CallIds } from '../../wire/call-ids.js';
import { noWords, pleaseGoOn, sendableMessage, startOfConversation } from '../../wire/sendable-message.js';
import type { SendableAssistantMessage, SendableToolMessage } from '../../wire/sendable-message.js';
import type { ToolNames } from '../../wire/tool-names.js';
import type { ServerProfile } from '../server-profile.js';
import { chatMessage } from './writer.js';

/** The messages that a server takes, still neutral. */
interface OrderedMessages {
  readonly ordered: readonly Message[];
  /**
   * For each message of the history and for its end: how many were made of the messages before it. The last can have
   * more merged into it.
   */
  readonly orderedBefore: readonly number[];
}

/**
 * Puts the messages of a history in the order and number that a server takes. Only the changes that a server needs are
 * made. Calls and results that do not match stay unchanged, and the provider refuses them.
 *
 * - Blank text is left out, and so is a message that has nothing else.
 * - Images of results follow the batch's results in a user message, because a tool message accepts only text.
 * - Added messages are the same in every request and depend only on the messages before them, except the last message
 *   that `endsWithUser` requires.
 *
 * @see provider-rules B.2 and D
 */
function inOrder(messages: readonly Message[], profile: ServerProfile): OrderedMessages {
  const ordered: Message[] = [];
  const orderedBefore: number[] = [];
  /** The results of the batch so far that have images. */
  let withImages: readonly SendableToolMessage[] = [];
  const endBatch = () => {
    if (withImages.length > 0) add(ordered, imagesOfResults(withImages), profile);
    withImages = [];
  };
  for (const message of messages) {
    if (message.role !== 'tool') endBatch();
    orderedBefore.push(ordered.length);
    if (message.role === 'tool') {
      add(ordered, message, profile);
      // An image with an ill-formed address is sent as text.
      const result = message.content.some(isImage) ? sendableMessage(message) : undefined;
      if (result?.content.some(isImage) === true) withImages = [...withImages, result];
    } else if (message.content.some(isMeaningful) || hasCalls(message)) {
      const isLater = message.role === 'system' && ordered.length > 0 && profile.systemMessages === 'first-only';
      add(ordered, isLater ? { role: 'user', content: message.content } : message, profile);
    }
  }
  endBatch();
  orderedBefore.push(ordered.length);
  const { startsWithUser, endsWithUser } = profile;
  const role = ordered.at(-1)?.role;
  const hasOnlySystem = !ordered.some((message) => message.role !== 'system');
  if (hasOnlySystem && (startsWithUser || endsWithUser || role === undefined)) ordered.push(startMessage);
  else if (endsWithUser && (role === 'assistant' || role === 'system')) ordered.push(goOnMessage);
  return { ordered, orderedBefore };
}

function add(ordered: Message[], message: Message, profile: ServerProfile): void {
  const last = ordered.at(-1);
  const { mergesNeighbours, startsWithUser, answersResults } = profile;
  const merged = mergesNeighbours && last !== undefined ? mergedNeighbours(last, message) : undefined;
  if (merged !== undefined) {
    ordered[ordered.length - 1] = merged;
    return;
  }
  if (startsWithUser && message.role === 'assistant' && (last === undefined || last.role === 'system')) {
    ordered.push(startMessage);
  }
  if (answersResults && last?.role === 'tool' && message.role !== 'tool' && message.role !== 'assistant') {
    ordered.push(answerWithoutWords);
  }
  ordered.push(message);
}

function hasCalls(message: Message): boolean {
  return message.role === 'assistant' && message.toolCalls !== undefined && message.toolCalls.length > 0;
}

const joinedImages = new Memo<SendableToolMessage, Message>();

/** Returns a user message with the images of a batch's results. */
function imagesOfResults(results: readonly SendableToolMessage[]): Message {
  const [first, ...others] = results as readonly [SendableToolMessage, ...SendableToolMessage[]];
  const content = () =>
    results.flatMap((result): readonly KnownContent[] => [
      { type: 'text', text: `(From the result of ${result.toolName}:)` },
      ...result.content.filter(isImage),
    ]);
  return joinedImages.of(first, () => ({ role: 'user', content: content() }), others);
}

function isImage({ type }: ContentPart): boolean {
  return type === 'image';
}

const startMessage = userSaying(startOfConversation);
const goOnMessage = userSaying(pleaseGoOn);
const answerWithoutWords: Message = deepFreeze({
  role: 'assistant',
  content: [{ type: 'text', text: noWords }],
});

function userSaying(text: string): Message {
  return deepFreeze({ role: 'user', content: [{ type: 'text', text }] });
}

/** Merges two neighbouring messages; undefined if they must stay separate. Calls end a message. */
function mergedNeighbours(first: Message, second: Message): Message | undefined {
  if (first.role === 'user' && second.role === 'user') {
    return { role: 'user', content: [...first.content, ...second.content] };
  }
  if (first.role !== 'assistant' || second.role !== 'assistant' || first.toolCalls !== undefined) return undefined;
  return mergedAnswers(sendableMessage(first), sendableMessage(second));
}

function mergedAnswers(first: SendableAssistantMessage, second: SendableAssistantMessage): AssistantMessage {
  const blocks = [...(first.thinkingBlocks ?? []), ...moved(second.thinkingBlocks ?? [], first.content.length)];
  const reasoning = [first.reasoningContent, second.reasoningContent].filter((text) => text !== undefined);
  return {
    ...withoutThinking(second),
    content: [...first.content, ...second.content],
    ...(blocks.length === 0 ? {} : { thinkingBlocks: blocks }),
    ...(reasoning.length === 0 ? {} : { reasoningContent: reasoning.join('\n\n') }),
  };
}

function withoutThinking({ role, content, toolCalls }: SendableAssistantMessage): SendableAssistantMessage {
  return { role, content, ...(toolCalls === undefined ? {} : { toolCalls }) };
}

function moved(blocks: readonly KnownThinkingBlock[], by: number): readonly KnownThinkingBlock[] {
  return blocks.map((block) => ({ ...block, position: (block.position ?? 0) + by }));
}

type WireMessage = OpenAI.Chat.ChatCompletionMessageParam;

/** @see provider-rules B3 */
const maxCallIdLength = 40;

/** The options of writing the messages of a Chat Completions request. */
interface ChatMessagesOptions {
  readonly names: ToolNames;
  readonly profile: ServerProfile;
  /** Each text that is not empty is a list of one part, so that it can carry a cache mark. */
  readonly textInParts: boolean;
}

/** The messages of a Chat Completions request. */
interface ChatMessages {
  /** The list is new; its messages can be shared between requests, and are frozen then. */
  readonly sent: WireMessage[];
  /** For each message of the history and for its end: how many were sent for the messages before. */
  readonly sentBefore: readonly number[];
}

/** Writes a history for a server. */
export function chatMessages(messages: readonly Message[], options: ChatMessagesOptions): ChatMessages {
  const { names, profile, textInParts } = options;
  const ids = profile.callIds === 'forty' ? callIds({ maxLength: maxCallIdLength }) : mistralCallIds();
  const { ordered, orderedBefore } = inOrder(messages, profile);
  const writing = { ids, names, dialect: profile, textInParts };
  return { sent: ordered.map((message) => chatMessage(message, writing) as WireMessage), sentBefore: orderedBefore };
}

/**
 * Ids of exactly nine letters and digits, not used twice in a request. A valid id stays unchanged. Any other id becomes digits of
 * its hash, so that a longer request extends a shorter one.
 *
 * @see provider-rules D, Mistral
 */
export function mistralCallIds(): CallIds {
  return distinctIds({
    isSendable: (id) => /^[a-zA-Z0-9]{9}$/.test(id),
    alias: (id) => shortHash(id).slice(0, 9),
  });
}
