import { sliceText, withoutControls } from '@palimpsest/events';

/** Colours and moves, titles and links of a terminal. */
const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;
/** Characters that turn the direction of writing, and tags, which nobody sees and models read. */
const invisible = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/**
 * Returns the text of a server for a model or a person: without what a terminal obeys and without what nobody sees.
 *
 * @param most - a longer text is cut at its end. Unit: characters.
 */
export function plainText(text: string, most: number): string {
  const lines = sliceText(text, 0, most * 2)
    .replace(sequences, '')
    .replace(/\r\n?/g, '\n');
  const plain = withoutControls(lines).replace(invisible, '').toWellFormed().trim();
  return plain.length <= most ? plain : `${sliceText(plain, 0, most - 1)}…`;
}

/** Returns the same on one line. */
export function plainLine(text: string, most = 300): string {
  return plainText(text, most).replace(/\s+/g, ' ');
}
