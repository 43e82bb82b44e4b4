import type { Event } from './event.js';
import type {
  CondensationSummaryEvent,
  LLMConvertibleEvent,
  MessageEvent,
  ObservationEvent,
  SystemPromptEvent,
  ToolResultEvent,
} from './llm-convertible-events.js';
import type {
  ContentPart,
  CustomContent,
  KnownContent,
  KnownThinking,
  KnownThinkingBlock,
  Thinking,
  ThinkingBlock,
} from './message.js';
import { wellFormedPart, wellFormedThinking } from './well-formed.js';

/**
 * Returns true for a part that a model can be sent. A part of any other kind stays in the log and is left out of
 * messages.
 */
export function isKnownContent(part: ContentPart): part is KnownContent {
  return part.type === 'text' || part.type === 'image';
}

/** Returns true for a block of thinking that this version knows. */
export function isKnownThinkingBlock(block: ThinkingBlock): block is KnownThinkingBlock {
  return block.type === 'thinking' || block.type === 'redacted-thinking';
}

/**
 * Returns true for a part that says something to a model: an image, or text that is not blank. Providers refuse blank
 * text. A part of a kind that this version does not know says nothing.
 */
export function isMeaningful(part: ContentPart): boolean {
  return part.type === 'text' ? notBlank.test(part.text) : part.type === 'image';
}

const notBlank = /\S/;

/**
 * Returns the parts that say something to a model, as sent. Ill-formed text of the log is made well-formed, because
 * providers refuse half of a surrogate pair. Returns the same list if nothing is left out or replaced.
 */
export function meaningfulContent(content: readonly ContentPart[]): readonly KnownContent[] {
  // This runs for every event of a log, so it allocates nothing where nothing changes.
  for (let index = 0; index < content.length; index++) {
    if (!isSentAsItIs(content[index] as ContentPart)) return content.filter(saysSomething).map(wellFormedPart);
  }
  return content as readonly KnownContent[];
}

function isSentAsItIs(part: ContentPart): boolean {
  return saysSomething(part) && wellFormedPart(part) === part;
}

// `isMeaningful` cannot be a type guard: it is false for blank text, which is a known kind.
function saysSomething(part: ContentPart): part is KnownContent {
  return isMeaningful(part);
}

/**
 * Returns the {@link meaningfulContent} of a tool result. If all parts are of unknown kinds, a text says so: a call
 * needs an answer, and the model should not take the answer for an empty one.
 */
export function resultContent(content: readonly ContentPart[]): readonly KnownContent[] {
  const sent = meaningfulContent(content);
  return sent.length > 0 || content.every(isKnownContent) ? sent : [unknownResult];
}

const unknownResult = Object.freeze({
  type: 'text',
  text: '(The tool answered in a form that cannot be shown here.)',
} as const);

/**
 * Returns the sendable thinking of an answer: all of it, or none if one block is of an unknown kind. A provider accepts
 * signed thinking only as a whole, so signed thinking that contains half of a surrogate pair is left out as well.
 */
export function knownThinking({ thinkingBlocks, reasoningItems, reasoningContent }: Thinking): KnownThinking {
  if ((thinkingBlocks ?? reasoningItems ?? reasoningContent) === undefined) return noThinking;
  if (thinkingBlocks !== undefined && !thinkingBlocks.every(isKnownThinkingBlock)) return noThinking;
  return wellFormedThinking<KnownThinking>({
    ...(thinkingBlocks === undefined ? {} : { thinkingBlocks }),
    ...(reasoningItems === undefined ? {} : { reasoningItems }),
    ...(reasoningContent === undefined ? {} : { reasoningContent }),
  });
}

const noThinking: KnownThinking = Object.freeze({});

/**
 * Converts the positions of thinking so that they count only the sent parts. `content`: all words of the answer; `isSent` is
 * false for the words that are left out.
 */
export function repositioned(
  thinking: KnownThinking,
  content: readonly ContentPart[],
  isSent: (part: ContentPart) => boolean,
): KnownThinking {
  const { thinkingBlocks, reasoningItems } = thinking;
  if ((thinkingBlocks ?? reasoningItems) === undefined || content.every((part) => isSent(part))) return thinking;
  const place = <Piece extends { readonly position?: number }>(piece: Piece): Piece => {
    const position = piece.position ?? 0;
    const leftOut = content.slice(0, position).filter((part) => !isSent(part)).length;
    return leftOut === 0 ? piece : Object.freeze({ ...piece, position: position - leftOut });
  };
  return {
    ...thinking,
    ...(thinkingBlocks === undefined ? {} : { thinkingBlocks: thinkingBlocks.map(place) }),
    ...(reasoningItems === undefined ? {} : { reasoningItems: reasoningItems.map(place) }),
  };
}

/**
 * Returns true for a message of the user. A message from any other source is not the user's, whatever its role. A
 * message with an unknown role is not sent, so it does not count as the user's message.
 */
export function isUserMessage(event: Event): event is MessageEvent & { readonly source: 'user' } {
  return event.type === 'message' && event.source === 'user' && isSentRole(event.role);
}

/** Returns true for a role that this version knows. A message of any other role stays in the log and is not sent. */
export function isSentRole(role: MessageEvent['role']): role is 'user' | 'assistant' {
  return role === 'user' || role === 'assistant';
}

/**
 * Returns the system message's content: the static prompt, then the dynamic context, so that the first stays a
 * cacheable prefix.
 */
export function systemPromptContent(event: SystemPromptEvent): readonly KnownContent[] {
  return textContent(event.systemPrompt, event.dynamicContext ?? '');
}

/**
 * Returns a message's own content, then what skills and rules added. Blank text and unknown parts are left out; in a
 * role that this version does not know, everything.
 */
export function messageContent(event: MessageEvent): readonly KnownContent[] {
  return isSentRole(event.role) ? meaningfulContent(withExtended(event)) : [];
}

/** Returns a summary's content, as the model reads it in the user's place. Blank text is left out. */
export function summaryContent(event: CondensationSummaryEvent): readonly KnownContent[] {
  return textContent(event.summary);
}

/**
 * Returns the content that a model reads as the answer to its call. Blank text is left out, so it may be empty. Unknown
 * parts are left out too; where nothing else is there, the answer says so.
 */
export function toolResultContent(event: ToolResultEvent): readonly KnownContent[] {
  switch (event.type) {
    case 'observation':
      return resultContent(withExtended(event));
    case 'user-reject-observation':
      return textContent(event.redacted ? event.rejectionReason : `Action rejected: ${event.rejectionReason}`);
    case 'agent-error':
      return textContent(event.error);
  }
}

/** Returns true if the result is a failure: an error, a rejection, or an observation marked as an error. */
export function isErrorResult(event: ToolResultEvent): boolean {
  return event.type === 'observation' ? event.isError === true : true;
}

function withExtended({ content, extendedContent }: MessageEvent | ObservationEvent): readonly ContentPart[] {
  return extendedContent === undefined || extendedContent.length === 0 ? content : [...content, ...extendedContent];
}

function textContent(...texts: readonly string[]): readonly KnownContent[] {
  return meaningfulContent(texts.map((text) => Object.freeze({ type: 'text', text })));
}

/**
 * The kind of a host's file. `other`: what has no kind of its own, such as a result of a tool that the provider runs.
 */
export type HostFileKind = 'pdf' | 'audio' | 'video' | 'image' | 'document' | 'other';

/**
 * A file in a message that a host holds and sends itself: what it is, and what it weighs. The log does not hold its
 * bytes, so our own adapters do not send it.
 */
export interface HostFile extends CustomContent {
  readonly type: 'host/file';
  readonly kind: HostFileKind;
  /** Its estimated size in a request. Unit: tokens. */
  readonly tokens: number;
  /** The name of the file, if the host gives one. */
  readonly name?: string;
  readonly mediaType?: string;
  /** Of a PDF of which the bytes are known. */
  readonly pages?: number;
  /** Of audio and video of which the bytes are known. */
  readonly seconds?: number;
}

/** Returns a part as a {@link HostFile}. Undefined if it is none. */
export function hostFile(part: ContentPart): HostFile | undefined {
  if (part.type !== 'host/file') return undefined;
  const { tokens } = part as Partial<HostFile>;
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens >= 0 ? (part as HostFile) : undefined;
}

/** Returns the files of a host in an event. */
export function hostFilesOf(event: LLMConvertibleEvent): readonly HostFile[] {
  if (event.type !== 'message' && event.type !== 'observation') return [];
  return event.content.flatMap((part) => hostFile(part) ?? []);
}

const nouns: Readonly<Record<HostFileKind, string>> = {
  pdf: 'PDF',
  audio: 'audio',
  video: 'video',
  image: 'image',
  document: 'document',
  other: 'data',
};

/** Returns a file in words, for a model: `report.pdf, a PDF of 12 pages`. */
export function describeHostFile({ kind, name, pages, seconds }: HostFile): string {
  const noun = nouns[kind] ?? 'file';
  const size =
    pages !== undefined
      ? ` of ${pages} ${pages === 1 ? 'page' : 'pages'}`
      : seconds !== undefined
        ? ` of ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
        : '';
  const what =
    kind === 'audio' || kind === 'video' || kind === 'other' ? noun : `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
  return `${name === undefined ? '' : `${name}, `}${what}${size}`;
}
