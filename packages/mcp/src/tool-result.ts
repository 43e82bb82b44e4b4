import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { sliceText } from '@palimpsest/events';
import type { ContentPart, ToolOutput } from '@palimpsest/events';
import { plainLine } from './plain-text.js';

/** The images that models take. */
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** The largest image that all providers take. Unit: characters of base64. */
const mostImageCharacters = 5 * 2 ** 20;

/**
 * Returns the part of a result that a model reads: texts and images; of other content, a description.
 *
 * @param most - how much text. Unit: characters.
 */
export function toolOutput(result: CallToolResult, most: number): ToolOutput {
  const { content = [], structuredContent, isError } = result;
  const parts = content.map(partOf);
  // A server should say the same as text.
  const isTold = structuredContent === undefined || content.some(({ type }) => type === 'text');
  const all = isTold ? parts : [...parts, text(jsonOf(structuredContent))];
  const shown =
    all.length === 0 ? [text(isError === true ? 'The tool failed and did not say why.' : 'Done; no output.')] : all;
  return { content: limited(shown, most), ...(isError === true ? { isError } : {}) };
}

function partOf(block: ContentBlock): ContentPart {
  switch (block.type) {
    case 'text':
      return text(block.text);
    case 'image':
      return imageOr(block.data, block.mimeType);
    case 'audio':
      return text(`[audio of ${size(block.data)}, ${plainLine(block.mimeType, 80)}, not shown]`);
    case 'resource_link':
      return text(`[resource ${plainLine(block.uri)}: ${plainLine(block.description ?? block.name)}]`);
    case 'resource': {
      const { uri, mimeType = 'application/octet-stream' } = block.resource;
      if ('text' in block.resource) return text(`[resource ${plainLine(uri)}]\n${block.resource.text}`);
      return imageOr(block.resource.blob, mimeType);
    }
    default:
      return text('[content of an unknown kind, not shown]');
  }
}

function imageOr(data: string, type: string): ContentPart {
  const isImage = imageTypes.includes(type) && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
  if (isImage && data.length <= mostImageCharacters) return { type: 'image', url: `data:${type};base64,${data}` };
  return text(`[${plainLine(type, 80)} of ${size(data)}, not shown]`);
}

function size(base64: string): string {
  return `${Math.ceil((base64.length * 3) / 4)} bytes`;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    return `[a result that cannot be shown: ${(error as Error).message}]`;
  }
}

function text(words: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text: words.toWellFormed() };
}

/** Of a text that is too long, its beginning and its end. */
function limited(parts: readonly ContentPart[], most: number): readonly ContentPart[] {
  let room = most;
  return parts.map((part) => {
    if (part.type !== 'text') return part;
    const words = (part as { readonly text: string }).text;
    const shown = words.length <= room ? words : middleCut(words, Math.max(0, room));
    room -= words.length;
    return text(shown);
  });
}

function middleCut(words: string, most: number): string {
  const half = Math.floor(most / 2);
  const [head, tail] = [sliceText(words, 0, half), half === 0 ? '' : sliceText(words, words.length - half)];
  return `${head}\n[… ${words.length - head.length - tail.length} characters left out …]\n${tail}`;
}
