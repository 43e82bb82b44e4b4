/** A converted text, with the place of each of its characters in the original. */
export interface TracedText {
  readonly text: string;
  /** Where the original of a character begins, and where it ends. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** One kind of notation that is undone: its pattern, and what it stands for. The time is linear in the text, for any text. */
interface Layer {
  readonly pattern: RegExp;
  readonly meaning: (match: readonly (string | undefined)[]) => string;
}

/**
 * Notations in which a value may be hidden, from the outside to the inside: characters that JSON or JavaScript escape, any
 * number of times; sequences that colour a terminal's text; line ends, with the blanks around them, where a program or a
 * terminal wraps.
 */
const layers: readonly Layer[] = [
  {
    // A run of backslashes is only read from its beginning, so that the time stays linear for a text of backslashes.
    pattern: /(?<!\\)\\+(?:u([\da-fA-F]{4})|u\{0*([\da-fA-F]{1,6})\}|x([\da-fA-F]{2})|(?:033|e)(?=\[))/g,
    meaning: ([, unit, point, byte]) => characterOf(Number.parseInt(unit ?? point ?? byte ?? '1b', 16)),
  },
  {
    // Colours and moves (CSI), links and titles (OSC), and short sequences. No part of the pattern can match the beginning of
    // another part.

    pattern:
      /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-Z\\^-~])|\u009b[0-?]*[ -/]*[@-~]/g,
    meaning: () => '',
  },
  {
    // Blanks are only read from their beginning, too. A backslash before a line end is a shell's; `\n` is JSON's.
    pattern: /(?<![ \t])[ \t]*(?:(?:\\?\r*\n|\r+|(?<!\\)(?:\\+r)?\\+n)(?:[ \t]|(?<!\\)\\+t)*)+/g,
    meaning: () => '',
  },
];

/** A text without any of these characters is plain. */

const notPlain = /[\\\r\n\u001b\u009b]/;

/** The text with all notations undone; the same string if there are none. */
export function plainReading(text: string): string {
  if (!notPlain.test(text)) return text;
  return layers.reduce(
    (read, { pattern, meaning }) =>
      read.replace(pattern, (...match: readonly unknown[]) => meaning(match as readonly (string | undefined)[])),
    text,
  );
}

/** {@link plainReading} with places. It costs more, so it is for texts in which something was found. */
export function tracedReading(text: string): TracedText {
  return layers.reduce(undo, { text, ...placesOf(text.length) });
}

function placesOf(length: number): Pick<TracedText, 'starts' | 'ends'> {
  const starts = new Int32Array(length);
  const ends = new Int32Array(length);
  for (let index = 0; index < length; index++) {
    starts[index] = index;
    ends[index] = index + 1;
  }
  return { starts, ends };
}

function undo(before: TracedText, { pattern, meaning }: Layer): TracedText {
  const starts = new Int32Array(before.text.length);
  const ends = new Int32Array(before.text.length);
  let text = '';
  let from = 0;
  const keep = (to: number): void => {
    starts.set(before.starts.subarray(from, to), text.length);
    ends.set(before.ends.subarray(from, to), text.length);
    text += before.text.slice(from, to);
  };
  for (const match of before.text.matchAll(pattern)) {
    keep(match.index);
    from = match.index + match[0].length;
    // The replacement is never longer than its match.
    for (const unit of meaning(match).split('')) {
      starts[text.length] = before.starts[match.index] ?? 0;
      ends[text.length] = before.ends[from - 1] ?? 0;
      text += unit;
    }
  }
  keep(before.text.length);
  return { text, starts, ends };
}

/** One half of a surrogate pair is allowed: the other half follows. */
function characterOf(code: number): string {
  return code > 0x10ffff ? '\ufffd' : code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
}

/**
 * How much of a growing text can be emitted. The rest holds the last `length` characters of its plain reading, and an escape
 * that may go on. At most `most` characters are held back.
 */
export function releasableLength(
  text: string,
  { length, most }: { readonly length: number; readonly most: number },
): number {
  // A backslash or sequence at the end may become shorter.

  const open = /[\\\u001b\u009b][^]{0,40}$/.exec(text.slice(-41))?.[0].length ?? 0;
  if (!notPlain.test(text)) return text.length - length;
  const { text: plain, starts } = tracedReading(text);
  const place = plain.length - length - open;
  return Math.max(place > 0 ? (starts[place] ?? 0) : 0, text.length - most);
}
