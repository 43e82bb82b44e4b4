import type { ImageContent } from '@palimpsest/events';

/** The image formats that both providers read. */
export type ImageMediaType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

/** The source of an image, or the reason why the image cannot be sent. */
export type ImageSource =
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
