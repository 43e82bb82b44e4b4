import { contentOf, readOpenAIContent } from '@palimpsest/llm-adapters/wire';

/** All text of some content, one part a line. */
export function plainText(content: unknown): string {
  return contentOf(readOpenAIContent(content, 'content'))
    .map((part) => (part.type === 'text' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n');
}
