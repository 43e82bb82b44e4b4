import { sliceText } from '@palimpsest/events';

/** Colours and moves, titles and links of a terminal. */
const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;
/** Control characters, those that turn the direction of writing, and tags, which nobody sees and models read. */
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/**
 * What a server wrote, for a model or a person: without what a terminal obeys and without what nobody sees.
 *
 * @param most - a longer text is cut at its end. Unit: characters.
 */
export function plainWords(text: string, most: number): string {
  const plain = sliceText(text, 0, most * 2)
    .replace(sequences, '')
    .replace(/\r\n?/g, '\n')
    .replace(hidden, '')
    .toWellFormed()
    .trim();
  return plain.length <= most ? plain : `${sliceText(plain, 0, most - 1)}…`;
}

/** The same on one line. */
export function plainLine(text: string, most = 300): string {
  return plainWords(text, most).replace(/\s+/g, ' ');
}
