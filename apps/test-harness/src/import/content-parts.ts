import type { ContentPart } from '@palimpsest/events';
import { isObject, objectOf, textOf } from './json-shape.js';
import type { JsonObject } from './json-shape.js';

/** Past this many characters, a block with no form of ours is named instead of shown. */
const maximumBlockLength = 2_000;

/**
 * The content of a message or result as parts, whoever wrote it: text, or a list of text and image blocks of OpenAI,
 * Anthropic, pi or Inspect. A block that has no form here becomes its JSON text, or where that is long a remark in its
 * place, and is reported by its type.
 */
export function contentParts(content: unknown, onUnsupported: (type: string) => void): readonly ContentPart[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [partOf(content, onUnsupported)];
  return content
    .filter((block) => block !== null && block !== undefined && block !== '')
    .map((block) => partOf(block, onUnsupported));
}

/** All text of some content, one part a line. */
export function plainText(content: unknown): string {
  return contentParts(content, () => undefined)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n');
}

function partOf(block: unknown, onUnsupported: (type: string) => void): ContentPart {
  if (typeof block === 'string') return { type: 'text', text: block };
  const fields = objectOf(block);
  if (typeof fields['text'] === 'string' && fields['source'] === undefined)
    return { type: 'text', text: fields['text'] };
  if (typeof fields['refusal'] === 'string') return { type: 'text', text: fields['refusal'] };
  const url = imageUrl(fields);
  if (url !== undefined) return { type: 'image', url };
  const type = textOf(fields['type']) ?? typeof block;
  onUnsupported(type);
  const json = JSON.stringify(block);
  return {
    type: 'text',
    text: json.length <= maximumBlockLength ? json : `[${type}: ${json.length} characters left out]`,
  };
}

function imageUrl(block: JsonObject): string | undefined {
  const { source } = block;
  if (block['type'] === 'image' && isObject(source)) {
    return textOf(source['url']) ?? dataUrl(source['media_type'], source['data']);
  }
  switch (block['type']) {
    case 'image':
      return textOf(block['image']) ?? dataUrl(block['mimeType'], block['data']);
    case 'image_url':
    case 'input_image':
      return textOf(block['image_url']) ?? textOf(objectOf(block['image_url'])['url']);
    default:
      return undefined;
  }
}

function dataUrl(mediaType: unknown, data: unknown): string | undefined {
  const base64 = textOf(data);
  return base64 === undefined ? undefined : `data:${textOf(mediaType) ?? 'image/png'};base64,${base64}`;
}
