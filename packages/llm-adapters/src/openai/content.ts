import { imageUrl } from '../wire/images.js';
import { field, isRecord, textOf } from '../wire/json-fields.js';
import { notContent, standIn, textPiece } from '../wire/pieces.js';
import type { ContentPiece, UnreadPiece } from '../wire/pieces.js';

/**
 * Reads the parts of a content of Chat Completions or the Responses API, or of the AI SDK. Audio, files and images by
 * id are unread, and a text says what is missing. `path` is the path of the content in its message. Parts of the types
 * in `readElsewhere` are skipped.
 */
export function readOpenAIContent(
  content: unknown,
  path: string,
  readElsewhere: readonly string[] = [],
): readonly (ContentPiece | UnreadPiece)[] {
  if (content === null || content === undefined || content === '') return [];
  if (typeof content === 'string') return [textPiece(content)];
  if (!isRecord(content)) return [{ type: 'unread', path, reason: notContent, value: content }];
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts.flatMap((part, index) =>
    readElsewhere.includes(textOf(field(part, 'type')) ?? '') ? [] : readPart(part, `${path}.${index}`),
  );
}

function readPart(part: unknown, path: string): readonly (ContentPiece | UnreadPiece)[] {
  const type = textOf(field(part, 'type')) ?? typeof part;
  const refusal = textOf(field(part, 'refusal'));
  if (refusal !== undefined) return [{ ...textPiece(refusal), isRefusal: true }];
  const text = typeof part === 'string' ? part : field(part, 'text');
  if (typeof text === 'string' && text !== '') return [textPiece(text)];
  const url = imageUrl(part);
  if (url !== undefined) return [{ type: 'content', part: { type: 'image', url } }];
  if (text === '') return [];
  const known = missing[type];
  const unread: UnreadPiece = { type: 'unread', path, reason: known ?? `no part has the type '${type}'`, value: part };
  return known === undefined ? [unread] : [unread, standIn(`(${known}.)`)];
}

const missing: Readonly<Record<string, string>> = {
  input_audio: 'Audio is not kept here',
  file: 'A file is not kept here',
  input_file: 'A file is not kept here',
  input_image: 'An image that the provider stores is not kept here',
};
