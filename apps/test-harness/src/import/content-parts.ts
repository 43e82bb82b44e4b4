import { contentOf, readOpenAIContent } from '@palimpsest/llm-adapters/wire';

/** The text parts of a content, joined by line feeds. */
export function plainText(content: unknown): string {
  return contentOf(readOpenAIContent(content, 'content'))
    .map((part) => (part.type === 'text' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n');
}
