import type { ContentPart } from '@palimpsest/events';
import { field, textOf } from '../http-failure.js';
import { imageNotShown } from '../wire/placeholders.js';

/** What a block is for a model that reads text and images. */
export interface BlockParts {
  readonly parts: readonly ContentPart[];
  /** Why the block itself must be kept beside them: they are less than it was. */
  readonly setAside?: string;
}

/**
 * A content block as parts: text and images as they are, texts inside documents and search results as text, anything else as
 * words that say what is missing.
 */
export function partsFromBlock(block: unknown): BlockParts {
  const type = textOf(field(block, 'type')) ?? 'unknown';
  switch (type) {
    case 'text': {
      const text = field(block, 'text');
      if (typeof text !== 'string') break;
      const citations = field(block, 'citations');
      const isCited = Array.isArray(citations) && citations.length > 0;
      return { parts: [{ type: 'text', text }], ...(isCited ? { setAside: 'its citations have no place' } : {}) };
    }
    case 'image':
      return partsFromImage(field(block, 'source'));
    case 'document': {
      const source = field(block, 'source');
      const inner = field(source, 'type') === 'text' ? field(source, 'data') : field(source, 'content');
      const parts = partsFromContent(inner);
      if (parts.length === 0) break;
      return { parts: [...titles(block, ['title', 'context']), ...parts], setAside: 'it is sent as text' };
    }
    case 'search_result': {
      const parts = [...titles(block, ['title', 'source']), ...partsFromContent(field(block, 'content'))];
      return { parts, setAside: 'it is sent as text' };
    }
    default:
  }
  const text = `(A block of the type '${type}' is not shown here.)`;
  return { parts: [{ type: 'text', text }], setAside: 'the event log has no place for it' };
}

/** Content that may be text, blocks or nothing, as parts. */
function partsFromContent(content: unknown): readonly ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.flatMap((block: unknown) => partsFromBlock(block).parts) : [];
}

function partsFromImage(source: unknown): BlockParts {
  const url = textOf(field(source, 'url'));
  if (url !== undefined) return { parts: [{ type: 'image', url }] };
  const mediaType = textOf(field(source, 'media_type'));
  const data = textOf(field(source, 'data'));
  if (mediaType !== undefined && data !== undefined) {
    return { parts: [{ type: 'image', url: `data:${mediaType};base64,${data}` }] };
  }
  const reason = field(source, 'type') === 'file' ? 'it is a file at the provider' : 'its source is not known';
  return { parts: [{ type: 'text', text: imageNotShown(reason) }], setAside: 'the event log has no place for it' };
}

function titles(block: unknown, keys: readonly string[]): readonly ContentPart[] {
  const text = keys.flatMap((key) => textOf(field(block, key)) ?? []).join('\n');
  return text === '' ? [] : [{ type: 'text', text }];
}
