import { estimateTextTokens } from '@palimpsest/events';
import type { HostFile, HostFileKind } from '@palimpsest/events';
import { field, isRecord, textOf } from './json-fields.js';

/**
 * The cost of a page of a PDF: its text and its image. Claude counts up to 2,500 for a page that is full of words or of
 * a table, and 1,600 for a scanned one.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/pdf-support
 */
const tokensPerPage = 2_500;
/** For a PDF whose pages cannot be counted. Unit: bytes. */
const bytesPerPage = 75_000;
/** A PDF of which nothing is known: one by its address or its id. Providers state nothing. Unit: pages. */
const pagesOfUnseen = 10;
/** The counts of Gemini. Others count less. @see https://ai.google.dev/gemini-api/docs/tokens */
const tokensPerSecond = { audio: 32, video: 32 + 263 } as const;
/** The usual rate of compressed video. Unit: bytes a second. */
const videoBytesPerSecond = 300_000;
/** Audio and video of which nothing is known. Unit: seconds. */
const secondsOfUnseen = 60;
/** As the view takes an image: about a megapixel. */
const tokensOfImage = 1_000;
/** A document of another kind. Providers read its text, and state no size: two pages. */
const tokensOfDocument = 5_000;
/** Text in UTF-8. Unit: bytes a token. */
const bytesPerToken = 4;
/** Sealed text is base64 of what the model reads. Unit: characters a token. */
const sealedCharactersPerToken = 16 / 3;

/** Options of {@link hostFileIn}. */
export interface HostFileOptions {
  /**
   * The pages of PDFs that the provider reads of a request. @defaultValue 600, what Anthropic reads with windows above
   * 200,000 tokens
   */
  readonly maxPages?: number | undefined;
}

/**
 * Describes a part of a host's message that has no neutral form, with its kind and its size, in the forms of the three APIs, the
 * AI SDK, LangChain and the Agents SDK. A file is described by its kind and size, a result of the provider's own tools and a
 * compaction by their words. Undefined for any other part, and for one whose words are read as text. Costs O(size).
 */
export function hostFileIn(part: unknown, { maxPages = 600 }: HostFileOptions = {}): HostFile | undefined {
  // The spoken answer of a model has no type.
  const type = textOf(field(part, 'type')) ?? (field(part, 'transcript') === undefined ? '' : 'audio');
  if (sealedTypes.test(type)) {
    return { type: 'host/file', kind: 'other', tokens: Math.ceil(tokensOfTexts(part)), name: type };
  }
  const held = heldIn(part);
  if (!fileTypes.has(type) || held === undefined) return undefined;
  const start = held.data === undefined ? '' : fileStart(held.data);
  const kind = kindOf(`${held.mediaType ?? ''} ${held.name ?? ''} ${held.url ?? ''} ${type}`.toLowerCase(), start);
  const bytes = held.data === undefined ? undefined : byteLength(held.data);
  const { name, mediaType } = held;
  const known = { ...(name === undefined ? {} : { name }), ...(mediaType === undefined ? {} : { mediaType }) };
  const file = (tokens: number, more: Partial<HostFile> = {}): HostFile => ({
    type: 'host/file',
    kind,
    tokens: Math.ceil(tokens),
    ...known,
    ...more,
  });
  switch (kind) {
    case 'pdf': {
      const pages =
        held.data === undefined || bytes === undefined
          ? undefined
          : (pagesOfPdf(held.data) ?? Math.max(1, Math.ceil(bytes / bytesPerPage)));
      return file(Math.min(pages ?? pagesOfUnseen, maxPages) * tokensPerPage, pages === undefined ? {} : { pages });
    }
    case 'audio':
    case 'video': {
      const seconds =
        bytes === undefined
          ? undefined
          : Math.ceil(kind === 'audio' ? secondsOfAudio(start, bytes, mediaType) : bytes / videoBytesPerSecond);
      return file((seconds ?? secondsOfUnseen) * tokensPerSecond[kind], seconds === undefined ? {} : { seconds });
    }
    case 'image':
      return file(tokensOfImage);
    default: {
      const isText = /^text\/|json|xml|csv|markdown|yaml/.test(mediaType ?? '') || textNames.test(name ?? '');
      return file(isText && bytes !== undefined ? bytes / bytesPerToken : tokensOfDocument);
    }
  }
}

/** The file that a part of a message holds. */
interface Held {
  readonly data?: string | Uint8Array;
  readonly url?: string;
  readonly mediaType?: string;
  readonly name?: string;
}

/** The types of parts that are files, in any of the forms. */
const fileTypes: ReadonlySet<string> = new Set([
  ...['document', 'file', 'input_file', 'input_audio', 'audio', 'video', 'input_video', 'media'],
  ...['file-data', 'file-url', 'file-id', 'image', 'image-file-id', 'input_image', 'image_file', 'text-plain'],
]);
/** The content that the provider has made or found itself. */
const sealedTypes = /_tool_result$|compaction$|^(?:mcp_call|mcp_list_tools|code_interpreter_call|file_search_call)$/;
const textNames = /\.(?:txt|md|csv|json|xml|html?|ya?ml|log|[jt]sx?|py)$/i;

const kinds: readonly (readonly [HostFileKind, RegExp])[] = [
  ['pdf', /pdf/],
  ['audio', /audio|\.(?:wav|mp3|m4a|ogg|flac)\b|^(?:wav|mp3|pcm16|opus|aac|flac)\b/],
  ['video', /video|\.(?:mp4|mov|webm|avi)\b/],
  ['image', /image/],
];

function kindOf(described: string, start: string): HostFileKind {
  if (start.startsWith('%PDF')) return 'pdf';
  return kinds.find(([, pattern]) => pattern.test(described))?.[0] ?? 'document';
}

function heldIn(part: unknown): Held | undefined {
  const holders = [part, ...holderNames.map((name) => field(part, name))].filter(isRecord);
  const inner = holders.map((holder) => field(holder, 'data')).filter(isRecord);
  const all = [...holders, ...inner.filter((value) => !isBytes(value) && !(value instanceof URL))];
  // The words of a document are read as text.
  if (all.some((holder) => ['text', 'content'].includes(String(holder['type'])) && holder !== part)) return undefined;
  const first = <Value>(names: readonly string[], read: (value: unknown) => Value | undefined): Value | undefined => {
    for (const holder of all) {
      for (const name of names) {
        const value = read(field(holder, name));
        if (value !== undefined) return value;
      }
    }
    return undefined;
  };
  const bytes = first(dataNames, bytesIn);
  const said = first([...dataNames, ...urlNames], (value) => (value instanceof URL ? value.href : textOf(value)));
  const isUrl = said !== undefined && /^(?:https?|gs|s3|data):/i.test(said);
  const [, ofUrl, inUrl] = /^data:([^;,]*)[^,]*,(.*)$/is.exec(said ?? '') ?? [];
  const data = bytes ?? inUrl ?? (isUrl || said === undefined ? undefined : said);
  const mediaType = first(mediaNames, textOf) ?? ofUrl;
  const name = first(['filename', 'title', 'name'], textOf);
  const id = first(['file_id', 'fileId', 'id'], textOf);
  if (data === undefined && said === undefined && id === undefined) return undefined;
  return {
    ...(data === undefined ? {} : { data }),
    ...(said === undefined || inUrl !== undefined || !isUrl ? {} : { url: said }),
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(name === undefined ? {} : { name }),
  };
}

const holderNames = ['source', 'file', 'input_audio', 'audio', 'image'] as const;
const dataNames = ['data', 'file_data', 'fileData', 'audio', 'file'] as const;
const urlNames = ['url', 'file_url', 'fileUrl', 'image_url'] as const;
const mediaNames = ['media_type', 'mediaType', 'mime_type', 'mimeType', 'format'] as const;

function isBytes(value: unknown): value is ArrayBuffer | ArrayBufferView {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

function bytesIn(value: unknown): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : undefined;
}

function byteLength(data: string | Uint8Array): number {
  return typeof data === 'string' ? Math.floor((data.replace(/=+$/, '').length * 3) / 4) : data.byteLength;
}

const maxValues = 10_000;

/** Returns the size of all texts of a value. A long text without a space is sealed. */
function tokensOfTexts(value: unknown): number {
  let left = maxValues;
  const of = (one: unknown): number => {
    if (left-- <= 0) return 0;
    if (typeof one === 'string') {
      return one.length > 200 && !/\s/.test(one.slice(0, 200))
        ? one.length / sealedCharactersPerToken
        : estimateTextTokens(one);
    }
    if (!isRecord(one) || isBytes(one)) return 0;
    return Object.values(one).reduce((sum: number, inner) => sum + of(inner), 0);
  };
  return of(value);
}

// What the first bytes, or a cheap walk over all, say of the size of a file: no parser, no dependency. Bytes are base64 or an array.

/** Returns the first bytes of a file as Latin-1 text; empty where they cannot be read. */
function fileStart(data: string | Uint8Array): string {
  return latin1(typeof data === 'string' ? data.slice(0, 2_048) : data.subarray(0, 1_536));
}

/** A larger file is not walked over. Unit: characters of base64, or bytes. */
const longestWalk = 48_000_000;

/**
 * The bounds of the search for the fields of a node of the page tree, in characters and nodes: the file may be
 * anyone's. Unit: characters.
 */
const nodeReach = 2_000;
const mostNodes = 1_000;

function* firstMatches(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  let count = 0;
  for (const match of text.matchAll(pattern)) {
    if (count++ === mostNodes) return;
    yield match;
  }
}

/**
 * Returns the pages of a PDF: what its page tree says, else what its first page says where it is made for the web, else
 * the page objects that can be read. Undefined where all of that is compressed.
 *
 * @see ISO 32000-1, 7.7.3.2 (page tree) and F.2 (linearized files)
 */
function pagesOfPdf(data: string | Uint8Array): number | undefined {
  if (data.length > longestWalk) return undefined;
  const text = latin1(data);
  const counts: number[] = [];
  for (const { index } of firstMatches(text, /\/Type\s?\/Pages\b/g)) {
    const before = text.slice(Math.max(0, index - nodeReach), index);
    const [behind = ''] = text.slice(index, index + nodeReach).split('>>', 1);
    const [, count] = /\/Count\s(\d{1,6})\b/.exec(before.slice(before.lastIndexOf('<<') + 1) + behind) ?? [];
    if (count !== undefined) counts.push(Number(count));
  }
  if (counts.length > 0) return Math.max(...counts) || undefined;
  const [, linearized] = /\/Linearized\b[^>]{0,400}?\/N\s(\d{1,6})\b/.exec(text.slice(0, 2_048)) ?? [];
  if (linearized !== undefined) return Number(linearized) || undefined;
  return text.match(/\/Type\s?\/Page\b(?!s)/g)?.length;
}

/** Audio that says nothing of itself: compressed to 128 kbit/s. Unit: bytes a second. */
const usualBytesPerSecond = 16_000;
/** `pcm16`, as realtime models take it: 24,000 samples of two bytes. */
const pcmBytesPerSecond = 48_000;

/** The bit rates of MPEG 1, layer III. Unit: kbit/s. @see ISO 11172-3, 2.4.2.3 */
const mp3Rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320] as const;

/** Returns the length of audio by the head of a WAV or an MP3, else by its bytes. Unit: seconds. */
function secondsOfAudio(start: string, bytes: number, mediaType = ''): number {
  if (/pcm16/i.test(mediaType)) return bytes / pcmBytesPerSecond;
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WAVE') {
    const rate = [28, 29, 30, 31].reduce((sum, at, place) => sum + start.charCodeAt(at) * 256 ** place, 0);
    if (rate > 0) return bytes / rate;
  }
  for (let at = 0; at < start.length - 3; at++) {
    if (start.charCodeAt(at) !== 0xff || (start.charCodeAt(at + 1) & 0xfe) !== 0xfa) continue;
    const rate = mp3Rates[start.charCodeAt(at + 2) >> 4] ?? 0;
    if (rate > 0) return bytes / (rate * 125);
  }
  return bytes / usualBytesPerSecond;
}

/** Bytes as text, one character each; empty if it is no base64. */
function latin1(data: string | Uint8Array): string {
  if (typeof data === 'string') {
    try {
      return atob(data.slice(0, data.length - (data.length % 4)));
    } catch {
      return '';
    }
  }
  let text = '';
  for (let at = 0; at < data.length; at += 8_192) text += String.fromCharCode(...data.subarray(at, at + 8_192));
  return text;
}
