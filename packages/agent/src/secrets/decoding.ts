/** A converted text, with the place of each of its characters in the original. */
export interface TracedText {
  readonly text: string;
  /** The places where the original of a character begins and ends. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** One kind of notation that is undone: its pattern, and what it stands for. The time is linear in the text, for any text. */
interface Layer {
  readonly pattern: RegExp;
  readonly meaning: (match: readonly (string | undefined)[]) => string;
}

/** A percent sign, encoded any number of times. */
const percent = '%(?:25)*';
const byteBehind = `${percent}[89abAB][\\da-fA-F]`;

/** Characters that have a name in HTML: those of ASCII that are neither letters nor digits. */
const entities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", excl: '!', num: '#', dollar: '$', percnt: '%', lpar: '(' },
  ...{ rpar: ')', ast: '*', plus: '+', comma: ',', period: '.', sol: '/', colon: ':', semi: ';', equals: '=' },
  ...{ quest: '?', commat: '@', lsqb: '[', lbrack: '[', bsol: '\\', rsqb: ']', rbrack: ']', Hat: '^', lowbar: '_' },
  ...{ grave: '`', lcub: '{', lbrace: '{', verbar: '|', vert: '|', rcub: '}', rbrace: '}', nbsp: ' ' },
};

/**
 * Notations in which a value may be hidden, from the outside to the inside:
 *
 * - characters that a URL encodes, one at a time, any number of times
 * - entities of HTML
 * - characters that JSON or JavaScript escape, any number of times
 * - sequences that colour a terminal's text
 * - line ends, with the blanks around them, where a program or a terminal wraps
 */
const layers: readonly Layer[] = [
  {
    // One character of one to four bytes.
    pattern: new RegExp(
      `${percent}(?:([0-7][\\da-fA-F])|[cdCD][\\da-fA-F]${byteBehind}|[eE][\\da-fA-F](?:${byteBehind}){2}|[fF][0-7](?:${byteBehind}){3})`,
      'g',
    ),
    meaning: ([match = '', ascii]) =>
      ascii === undefined ? new TextDecoder().decode(bytesOf(match)) : characterOf(Number.parseInt(ascii, 16)),
  },
  {
    pattern: new RegExp(
      `&(?:amp;)*(?:#0*(\\d{1,7});?|#[xX]0*([\\da-fA-F]{1,6});?|(${Object.keys(entities).join('|')});)`,
      'g',
    ),
    meaning: ([, decimal, hex, name = '']) =>
      entities[name] ?? characterOf(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)),
  },
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
const notPlain = /[%&\\\r\n\u001b\u009b]/;

/** Returns the text with all notations undone; the same string if there are none. */
export function decodeEscapes(text: string): string {
  if (!notPlain.test(text)) return text;
  return layers.reduce(
    (read, { pattern, meaning }) =>
      read.replace(pattern, (...match: readonly unknown[]) => meaning(match as readonly (string | undefined)[])),
    text,
  );
}

/** Decodes as {@link decodeEscapes} does, and keeps the places. It costs more, so it is for texts in which something was found. */
export function decodeWithOffsets(text: string): TracedText {
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

/** Returns the bytes of percent-encoded text. */
function bytesOf(encoded: string): Uint8Array {
  return Uint8Array.from(encoded.match(/[\da-fA-F]{2}(?=%|$)/g) ?? [], (digits) => Number.parseInt(digits, 16));
}

/** One half of a surrogate pair is allowed: the other half follows. */
function characterOf(code: number): string {
  return code > 0x10ffff ? '\ufffd' : code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
}

/** The length of the end of a text that is held back. Unit: characters. */
export interface HeldBack {
  /** Of the {@link decodeEscapes}. */
  readonly length: number;
  /** Letters and digits of it, for values that are broken up by other characters. */
  readonly letters: number;
  /** In any case not more. */
  readonly most: number;
}

/**
 * Returns the length of the beginning of a growing text that can be emitted. The rest holds an end of its plain
 * reading, and an escape that may go on.
 */
export function releasableLength(text: string, { length, letters, most }: HeldBack): number {
  if (!notPlain.test(text)) return text.length - Math.max(length, brokenUpEnd(text, letters));
  // An escape or sequence at the end may become shorter.
  const open = /[%&\\\u001b\u009b][^]{0,40}$/.exec(text.slice(-41))?.[0].length ?? 0;
  const { text: plain, starts } = decodeWithOffsets(text);
  const place = plain.length - Math.max(length, brokenUpEnd(plain, letters)) - open;
  return Math.max(place > 0 ? (starts[place] ?? 0) : 0, text.length - most);
}

/** The space that a character takes where each stands in a line of its own, as a number, indented. Unit: characters. */
const longestBreak = 10;

/** Returns the length of the end that has some letters and digits, or may be numbers for as many. */
function brokenUpEnd(text: string, letters: number): number {
  const most = Math.min(text.length, longestBreak * letters);
  let [length, found, isNumeric] = [0, 0, true];
  for (; length < most && (isNumeric || found < letters); length++) {
    const character = text.charAt(text.length - length - 1);
    if (!/[A-Za-z0-9]/.test(character)) continue;
    found++;
    // Of hex and its marks.
    isNumeric &&= /[\da-fxA-FX]/.test(character);
  }
  return length;
}
