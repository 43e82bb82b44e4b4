import type { LLMConvertibleEvent } from './llm-convertible-events.js';
import type { ContentPart, CustomContent } from './message.js';

/** What a file of a host is. `other`: what has no kind of its own, such as a result of a tool that the provider runs. */
export type HostFileKind = 'pdf' | 'audio' | 'video' | 'image' | 'document' | 'other';

/**
 * A file in a message that a host holds and sends itself: what it is, and what it weighs. The log does not hold its bytes, so our own
 * adapters do not send it.
 */
export interface HostFile extends CustomContent {
  readonly type: 'host/file';
  readonly kind: HostFileKind;
  /** What it weighs in a request, estimated. Unit: tokens. */
  readonly tokens: number;
  /** The name of the file, if the host gives one. */
  readonly name?: string;
  readonly mediaType?: string;
  /** Of a PDF of which the bytes are known. */
  readonly pages?: number;
  /** Of audio and video of which the bytes are known. */
  readonly seconds?: number;
}

/** A part as a {@link HostFile}. Undefined if it is none. */
export function hostFile(part: ContentPart): HostFile | undefined {
  if (part.type !== 'host/file') return undefined;
  const { tokens } = part as Partial<HostFile>;
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens >= 0 ? (part as HostFile) : undefined;
}

/** The files of a host in an event. */
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

/** A file in words, for a model: `report.pdf, a PDF of 12 pages`. */
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
