import { isMeaningful, wellFormedMessage } from '@palimpsest/events';
import type { KnownContent, KnownThinkingBlock, Message } from '@palimpsest/events';
import { deepFreeze } from '../deep-frozen.js';
import { Memo, remembering } from '../memo.js';
import { knownMessage } from '../wire/known-messages.js';
import type { KnownAssistantMessage, KnownMessage, KnownToolMessage } from '../wire/known-messages.js';
import { noWords, pleaseGoOn, startOfConversation } from '../wire/placeholders.js';
import type { ServerProfile } from './server-profile.js';

/**
 * Puts the messages of a history in the order and number that a server takes, still neutral. Only the changes that a server needs
 * are made. Calls and results that do not match stay unchanged, and the provider refuses them.
 *
 * - Blank text is left out, and so is a message that has nothing else.
 * - Images of results follow the batch's results in a user message, because a tool message accepts only text.
 * - Added messages are the same in every request and depend only on the messages before them, except the last message that
 *   `endsWithUser` requires.
 *
 * @see provider-rules B.2 and D
 */
export class MessageOrder {
  readonly #profile: ServerProfile;
  /** Called for each message that nothing can change any more. */
  readonly #send: (message: KnownMessage) => void;
  /** The last message: neighbours can be merged with it. */
  #last: KnownMessage | undefined;
  #count = 0;
  #hasOnlySystem = true;
  #withImages: readonly KnownToolMessage[] = [];

  constructor(profile: ServerProfile, send: (message: KnownMessage) => void, before?: MessageOrder) {
    this.#profile = profile;
    this.#send = send;
    if (before === undefined) return;
    this.#last = before.#last;
    this.#count = before.#count;
    this.#hasOnlySystem = before.#hasOnlySystem;
    this.#withImages = before.#withImages;
  }

  /** Adds a message and returns how many were sent for the messages before it, the last of which it can be merged with. */
  add(given: Message): number {
    const message = orderedMessage(given);
    if (message.role !== 'tool') this.#endBatch();
    const before = this.#count;
    if (message.role === 'tool') {
      if (message.content.some(isImage)) this.#withImages = [...this.#withImages, message];
      this.#add(message);
    } else if (message.content.length > 0 || (message.role === 'assistant' && (message.toolCalls ?? []).length > 0)) {
      const isLater = message.role === 'system' && this.#count > 0 && this.#profile.systemMessages === 'first-only';
      this.#add(isLater ? inTheUsersPlace(message) : message);
    }
    return before;
  }

  /** Ends the list as the server takes it, and returns how many messages were sent for those of the history. */
  end(): number {
    this.#endBatch();
    const count = this.#count;
    const { startsWithUser, endsWithUser } = this.#profile;
    const role = this.#last?.role;
    if (this.#hasOnlySystem && (startsWithUser || endsWithUser || role === undefined)) this.#push(startMessage);
    else if (endsWithUser && (role === 'assistant' || role === 'system')) this.#push(goOnMessage);
    if (this.#last !== undefined) this.#send(this.#last);
    return count;
  }

  #add(message: KnownMessage): void {
    const last = this.#last;
    const { mergesNeighbours, startsWithUser, answersResults } = this.#profile;
    const merged = mergesNeighbours && last !== undefined ? mergedNeighbours(last, message) : undefined;
    if (merged !== undefined) {
      this.#last = merged;
      return;
    }
    if (startsWithUser && message.role === 'assistant' && (last === undefined || last.role === 'system')) {
      this.#push(startMessage);
    }
    if (answersResults && last?.role === 'tool' && message.role !== 'tool' && message.role !== 'assistant') {
      this.#push(answerWithoutWords);
    }
    this.#push(message);
  }

  #push(message: KnownMessage): void {
    if (this.#last !== undefined) this.#send(this.#last);
    this.#last = message;
    this.#count += 1;
    this.#hasOnlySystem &&= message.role === 'system';
  }

  #endBatch(): void {
    const results = this.#withImages;
    this.#withImages = [];
    if (results.length > 0) this.#add(imagesOfResults(results));
  }
}

/** The message as it can be sent; without blank text, except in a result. */
const orderedMessage = remembering((message: Message): KnownMessage => {
  const sendable = knownMessage(wellFormedMessage(message));
  if (sendable.role === 'tool' || sendable.content.every(isMeaningful)) return sendable;
  return { ...sendable, content: sendable.content.filter(isMeaningful) };
});

const inTheUsersPlace = remembering(({ content }: KnownMessage): KnownMessage => ({ role: 'user', content }));

const joinedImages = new Memo<KnownToolMessage, KnownMessage>();

/** A user message with the images of a batch's results. */
function imagesOfResults(results: readonly KnownToolMessage[]): KnownMessage {
  const [first, ...others] = results as readonly [KnownToolMessage, ...KnownToolMessage[]];
  const content = () =>
    results.flatMap((result): readonly KnownContent[] => [
      { type: 'text', text: `(From the result of ${result.toolName}:)` },
      ...result.content.filter(isImage),
    ]);
  return joinedImages.of(first, () => ({ role: 'user', content: content() }), others);
}

function isImage({ type }: KnownContent): boolean {
  return type === 'image';
}

const startMessage = userSaying(startOfConversation);
const goOnMessage = userSaying(pleaseGoOn);
const answerWithoutWords: KnownMessage = deepFreeze({
  role: 'assistant',
  content: [{ type: 'text', text: noWords }],
});

function userSaying(text: string): KnownMessage {
  return deepFreeze({ role: 'user', content: [{ type: 'text', text }] });
}

const merged = new Memo<KnownMessage, KnownMessage>();

/** Merges two neighbouring messages; undefined if they must stay separate. Calls end a message. */
function mergedNeighbours(first: KnownMessage, second: KnownMessage): KnownMessage | undefined {
  if (first.role === 'user' && second.role === 'user') {
    return merged.of(first, () => ({ role: 'user', content: [...first.content, ...second.content] }), [second]);
  }
  if (first.role !== 'assistant' || second.role !== 'assistant' || first.toolCalls !== undefined) return undefined;
  return merged.of(first, () => mergedAnswers(first, second), [second]);
}

function mergedAnswers(first: KnownAssistantMessage, second: KnownAssistantMessage): KnownAssistantMessage {
  const blocks = [...(first.thinkingBlocks ?? []), ...moved(second.thinkingBlocks ?? [], first.content.length)];
  const reasoning = [first.reasoningContent, second.reasoningContent].filter((text) => text !== undefined);
  return {
    ...withoutThinking(second),
    content: [...first.content, ...second.content],
    ...(blocks.length === 0 ? {} : { thinkingBlocks: blocks }),
    ...(reasoning.length === 0 ? {} : { reasoningContent: reasoning.join('\n\n') }),
  };
}

function withoutThinking({ role, content, toolCalls }: KnownAssistantMessage): KnownAssistantMessage {
  return { role, content, ...(toolCalls === undefined ? {} : { toolCalls }) };
}

function moved(blocks: readonly KnownThinkingBlock[], by: number): readonly KnownThinkingBlock[] {
  return blocks.map((block) => ({ ...block, position: (block.position ?? 0) + by }));
}
