import { field, isRecord, textOf } from '@palimpsest/messages';
import { base64 } from './message-parts.js';

// The parts of a result that is a `content`. They are named by what holds their data, in `ai` 6 and 7.

/** Returns an image of a message as a part of a result. */
export function imagePart({ url }: { readonly url: string }): object {
  const [, mediaType = 'image/png', data] = /^data:([^;,]*)[^,]*,(.*)$/is.exec(url) ?? [];
  return data === undefined ? { type: 'image-url', url } : { type: 'image-data', data, mediaType };
}

/** Returns a file of a message as a part of a result. What is one already stays as it is. */
export function filePart(part: unknown): unknown {
  if (field(part, 'type') !== 'file') return part;
  const mediaType = textOf(field(part, 'mediaType')) ?? 'application/octet-stream';
  const filename = textOf(field(part, 'filename'));
  const held = field(part, 'data');
  const inner = isRecord(held) && textOf(held['type']) !== undefined ? (held['data'] ?? held['url']) : held;
  const data = base64(inner) ?? textOf(inner);
  if (inner instanceof URL || (data !== undefined && /^https?:/i.test(data))) {
    return { type: 'file-url', url: String(inner), mediaType };
  }
  return { type: 'file-data', data: data ?? '', mediaType, ...(filename === undefined ? {} : { filename }) };
}
