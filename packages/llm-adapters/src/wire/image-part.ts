import { field, textOf } from './json-fields.js';

/**
 * The URL of an image, in the forms of the three APIs and of those that keep histories: Anthropic's `source`, `image_url` as
 * text or as an object, the data of the AI SDK's parts. Undefined for any other value, and for an image that the provider
 * stores.
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
