/** A text in another reading, with the place in the text as it is for each of its characters. */
export interface TracedText {
  readonly text: string;
  /** Where what a character stands for begins, and where it ends. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** One thing that is read over: what it looks like, and what it stands for. Linear in the text, whatever the text is. */
interface Layer {
  readonly pattern: RegExp;
  readonly meaning: (match: readonly (string | undefined)[]) => string;
}

/**
 * What stands in the way of a value that is spelt out, from the outside to the inside: characters that JSON or JavaScript
 * escape, as many or few as they like; sequences that colour a terminal's text; ends of lines, with the blanks around them,
 * where a program or a terminal wraps.
 */
const layers: readonly Layer[] = [
  {
    // A run of backslashes is read from its beginning, so that a text of backslashes costs no more than any other.
    pattern: /(?<!\\)\\+(?:u([\da-fA-F]{4})|u\{0*([\da-fA-F]{1,6})\}|x([\da-fA-F]{2})|(?:033|e)(?=\[))/g,
    meaning: ([, unit, point, byte]) => characterOf(Number.parseInt(unit ?? point ?? byte ?? '1b', 16)),
  },
  {
    // Colours and moves (CSI), links and titles (OSC), and the short ones. Nothing that one part takes may begin the next.

    pattern:
      /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-Z\\^-~])|\u009b[0-?]*[ -/]*[@-~]/g,
    meaning: () => '',
  },
  {
    // Blanks are read from their beginning, too. A backslash before the end of a line is a shell's; `\n` is JSON's.
    pattern: /(?<![ \t])[ \t]*(?:(?:\\?\r*\n|\r+|(?<!\\)(?:\\+r)?\\+n)(?:[ \t]|(?<!\\)\\+t)*)+/g,
    meaning: () => '',
  },
];

/** Without any of these a text is plain. */

const notPlain = /[\\\r\n\u001b\u009b]/;

/** The text without what stands in the way of a value; the text itself where nothing does. */
export function plainReading(text: string): string {
  if (!notPlain.test(text)) return text;
  return layers.reduce(
    (read, { pattern, meaning }) =>
      read.replace(pattern, (...match: readonly unknown[]) => meaning(match as readonly (string | undefined)[])),
    text,
  );
}

/** {@link plainReading}, traced. Costs more: for texts in which something was found. */
export function tracedReading(text: string): TracedText {
  return layers.reduce(readOver, { text, ...placesOf(text.length) });
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

function readOver(before: TracedText, { pattern, meaning }: Layer): TracedText {
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
    // No meaning is longer than what it is the meaning of.
    for (const unit of meaning(match).split('')) {
      starts[text.length] = before.starts[match.index] ?? 0;
      ends[text.length] = before.ends[from - 1] ?? 0;
      text += unit;
    }
  }
  keep(before.text.length);
  return { text, starts, ends };
}

/** Half of a pair is one as well: the other half follows. */
function characterOf(code: number): string {
  return code > 0x10ffff ? '\ufffd' : code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
}

/**
 * Where a text can be handed out to while it still grows: what comes before is not a part of the last `length` characters of
 * its plain reading, nor of an escape that may go on. No more than `most` characters are held back, whatever stands between.
 */
export function heldFrom(text: string, { length, most }: { readonly length: number; readonly most: number }): number {
  // A backslash or a sequence at the end may mean less than it has characters.

  const open = /[\\\u001b\u009b][^]{0,40}$/.exec(text.slice(-41))?.[0].length ?? 0;
  if (!notPlain.test(text)) return text.length - length;
  const { text: plain, starts } = tracedReading(text);
  const place = plain.length - length - open;
  return Math.max(place > 0 ? (starts[place] ?? 0) : 0, text.length - most);
}
