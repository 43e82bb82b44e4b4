import { shownLines } from '@palimpsest/terminal';

/** Text of a model: on its own lines, its tabs are kept. Tabs are no danger to a terminal, and part of what an answer quotes. */
export function shownAnswer(text: string): string {
  return text.replaceAll('\r\n', '\n').split('\t').map(shownLines).join('\t');
}
