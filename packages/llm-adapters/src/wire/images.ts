import type { ImageContent } from '@palimpsest/events';
import { field, textOf } from './json-fields.js';

/** The image formats that both providers read. */
export type ImageMediaType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

/** The source of an image, or the reason why the image cannot be sent. */
type ImageSource =
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'base64'; readonly mediaType: ImageMediaType; readonly data: string }
  | { readonly type: 'unsupported'; readonly reason: string };

const mediaTypes: ReadonlyMap<string, ImageMediaType> = new Map<string, ImageMediaType>([
  ['image/jpeg', 'image/jpeg'],
  ['image/jpg', 'image/jpeg'],
  ['image/png', 'image/png'],
  ['image/gif', 'image/gif'],
  ['image/webp', 'image/webp'],
]);

/** Reads an image's URL. Plain `http:` is left out: providers do not fetch it. */
export function imageSource({ url }: ImageContent): ImageSource {
  if (!url.isWellFormed()) return { type: 'unsupported', reason: 'its address is not well-formed text' };
  if (/^https:\/\//i.test(url)) return { type: 'url', url };
  const dataUrl = /^data:([^;,]*)((?:;[^;,]*)*),/i.exec(url);
  if (dataUrl === null) return { type: 'unsupported', reason: 'its address is neither https: nor data:' };
  const named = (dataUrl[1] ?? '').toLowerCase();
  const mediaType = mediaTypes.get(named);
  if (mediaType === undefined) return { type: 'unsupported', reason: `its type is '${named}'` };
  const data = url.slice(dataUrl[0].length);
  const isBase64 = /;base64$/i.test(dataUrl[2] ?? '') && data !== '' && /^[a-z0-9+/]+={0,2}$/i.test(data);
  if (!isBase64) return { type: 'unsupported', reason: 'its data is not base64' };
  return { type: 'base64', mediaType, data };
}

/**
 * Returns the URL of an image, in the forms of the three APIs and of those that keep histories: Anthropic's `source`,
 * `image_url` as text or as an object, the data of the AI SDK's parts. Undefined for any other value, and for an image
 * that the provider stores.
 */
export function imageUrl(part: unknown): string | undefined {
  const type = textOf(field(part, 'type'));
  const source = field(part, 'source');
  if (type === 'image' && source !== undefined) {
    return textOf(field(source, 'url')) ?? dataUrl(textOf(field(source, 'media_type')), textOf(field(source, 'data')));
  }
  const named = field(part, 'image_url');
  const url = textOf(named) ?? textOf(field(named, 'url'));
  if (url !== undefined) return url;
  const mediaType = textOf(field(part, 'mediaType')) ?? textOf(field(part, 'mimeType'));
  const isImage = type === 'image' || ((type === 'file' || type === 'media') && mediaType?.startsWith('image/'));
  const held = field(part, 'image') ?? field(part, 'data');
  const data = held instanceof URL ? held.href : textOf(held);
  if (isImage !== true || data === undefined) return undefined;
  return /^(?:https?|data):/i.test(data) ? data : dataUrl(mediaType, data);
}

function dataUrl(mediaType: string | undefined, data: string | undefined): string | undefined {
  return mediaType === undefined || data === undefined ? undefined : `data:${mediaType};base64,${data}`;
}
