import { field, isRecord, listOf, textOf } from '@palimpsest/messages';
import type { HostMessage } from '@palimpsest/messages';

// What the parts of the AI SDK's messages are. They are the same in a ModelMessage, in a prompt of V3 and in one of V4, but for
// the data of files.

/** A piece of a message in neutral form. */
export type Piece = HostMessage['pieces'][number];

/** A part of a message, as the host holds it. */
export type Part = Readonly<Record<string, unknown>>;

/** Returns the parts of a content. Text is one part. */
export function partsOf(content: unknown): readonly unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
}

/**
 * The kind of a part for a condenser. `answered`: a call that the provider runs itself, or of which the answer holds
 * the result, so that no later message has to.
 */
export type PartKind = 'words' | 'thinking' | 'call' | 'result' | 'approval';

/** Returns the kinds of the parts of a message. */
export function partKinds(role: unknown, parts: readonly unknown[]): readonly PartKind[] {
  const answered = new Set(
    role === 'assistant' ? parts.filter(isOf('tool-result')).map((part) => field(part, 'toolCallId')) : [],
  );
  return parts.map((part) => {
    switch (field(part, 'type')) {
      case 'reasoning':
        return role === 'assistant' ? 'thinking' : 'words';
      case 'tool-call': {
        const isOurs = field(part, 'providerExecuted') !== true && !answered.has(field(part, 'toolCallId'));
        return role === 'assistant' && isOurs ? 'call' : 'words';
      }
      case 'tool-result':
        return role === 'tool' ? 'result' : 'words';
      case 'tool-approval-request':
        return role === 'assistant' ? 'approval' : 'words';
      default:
        return 'words';
    }
  });
}

export function isOf(type: string): (part: unknown) => boolean {
  return (part) => field(part, 'type') === type;
}

/**
 * Returns the value that a provider needs back with a part, from the first provider's options with a field of this
 * name.
 */
export function providerField(part: unknown, name: string): string | undefined {
  const options = field(part, 'providerOptions') ?? field(part, 'providerMetadata');
  if (!isRecord(options)) return undefined;
  return Object.values(options)
    .map((own) => textOf(field(own, name)))
    .find((value) => value !== undefined);
}

/** Returns true for thinking that its provider has signed. */
export function isSigned(part: unknown): boolean {
  return providerField(part, 'signature') !== undefined || providerField(part, 'redactedData') !== undefined;
}

/**
 * Returns the URL of an image, whatever form its data has. Undefined for any other part, and for an image that the
 * provider stores.
 */
export function imageUrl(part: unknown): string | undefined {
  const type = field(part, 'type');
  const mediaType = textOf(field(part, 'mediaType')) ?? textOf(field(part, 'mimeType'));
  const isImage =
    type === 'image' || type === 'image-data' || type === 'image-url' || /^image(?:\/|$)/.test(mediaType ?? '');
  if (!isImage || (typeof type === 'string' && type.startsWith('reasoning'))) return undefined;
  const held = field(part, 'image') ?? field(part, 'data') ?? field(part, 'url');
  const data = dataIn(isRecord(held) && textOf(held['type']) !== undefined ? (held['data'] ?? held['url']) : held);
  if (data === undefined) return undefined;
  const full = mediaType?.includes('/') === true && !mediaType.endsWith('*') ? mediaType : 'image/png';
  return /^(?:https?|data|gs|s3):/i.test(data) ? data : `data:${full};base64,${data}`;
}

function dataIn(value: unknown): string | undefined {
  if (value instanceof URL) return value.href;
  return base64(value) ?? textOf(value);
}

/** Bytes as base64. Undefined for any other value. */
export function base64(value: unknown): string | undefined {
  const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : value;
  if (!(bytes instanceof Uint8Array)) return undefined;
  let text = '';
  for (let start = 0; start < bytes.length; start += 8_192) {
    text += String.fromCharCode(...bytes.subarray(start, start + 8_192));
  }
  return btoa(text);
}
