/** A search for one encoding of a value. */
export interface SecretPattern {
  /** Made where the needle was found, because it is long. */
  readonly pattern: () => RegExp;
  /** A part of the {@link lettersOf} of any match. Looking for it first is cheap. */
  readonly needle: string;
}

/** Makes it when it is needed first. */
function lazily(make: () => RegExp): () => RegExp {
  let made: RegExp | undefined;
  return () => (made ??= make());
}

/** By the code of a letter or digit of ASCII: its code in lower case. 0 for any other character. */
const folded = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-z0-9]/i.test(String.fromCharCode(code)) ? String.fromCharCode(code).toLowerCase().charCodeAt(0) : 0,
);

/** Returns the letters and digits of a text that are in ASCII, in lower case. */
export function lettersOf(text: string): string {
  const letters = new Uint8Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const letter = folded[text.charCodeAt(index)] ?? 0;
    if (letter !== 0) letters[length++] = letter;
  }
  return new TextDecoder().decode(letters.subarray(0, length));
}

/**
 * Patterns that find a value as tools print it: as it is, escaped for JSON, JavaScript, HTML or a shell, percent-encoded
 * (once or several times, with `+` for spaces), in base64 of either alphabet at any offset of the encoded bytes, or in hex.
 *
 * @param options - `mayWrap`: line ends were removed from the text, and with them blanks of the value at which it wrapped
 */
export function secretPatterns(
  value: string,
  { mayWrap = false }: { readonly mayWrap?: boolean } = {},
): readonly SecretPattern[] {
  const digits = [...utf8(value)].map(hex);
  // JSON and URLs are encoded in base64, too.
  const encoded = new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())]);
  return [
    { pattern: lazily(() => global(escapedForm(value, mayWrap))), needle: longestWord(value) },
    ...[...encoded].flatMap((text) => base64Patterns(utf8(text))),
    { pattern: lazily(() => global(digits.map(anyCase).join('[ :]?'))), needle: digits.join('') },
  ];
}

/**
 * The minimum length of a value that is found by {@link brokenUpPatterns}. Shorter ones would be found in ordinary text. Unit:
 * characters.
 */
const minBrokenUpLength = 10;

/**
 * Patterns that find a value of one line as numbers (its bytes in decimal, octal or hex, with anything between), in base64 that is
 * encoded twice or of UTF-16, and, if it looks like no word or name, in {@link spellingsOf}.
 */
export function brokenUpPatterns(value: string): readonly SecretPattern[] {
  if (value.length < minBrokenUpLength || value.includes('\n')) return [];
  const bytes = [...utf8(value)];
  const digits = bytes.map(hex);
  // The length is limited because the first digit of `0x` may also be one of the value.
  const hexPattern = lazily(() => new RegExp([...digits.join('')].join('(?:0x|[^\\da-f]){0,40}'), 'gi'));
  const numbers = [bytes.map(String), bytes.map((byte) => byte.toString(8).padStart(3, '0'))];
  return [
    ...spellingsOf(value).map((spelling): SecretPattern => {
      const pattern = lazily(() => new RegExp([...spelling].join('[^A-Za-z0-9]*'), 'gi'));
      return { pattern, needle: lettersOf(spelling) };
    }),
    ...numbers.map((codes): SecretPattern => {
      const pattern = lazily(() => new RegExp(`(?<![A-Za-z0-9])${codes.join('[^A-Za-z0-9]+')}(?![A-Za-z0-9])`, 'g'));
      return { pattern, needle: codes.join('') };
    }),
    ...['', 'x', '0x'].map((mark): SecretPattern => ({ pattern: hexPattern, needle: digits.join(mark) })),
    ...[utf16(value), ...base64Cores(utf8(value)).map(utf8)].flatMap(base64Patterns),
  ];
}

/**
 * Returns the letters and digits of a value: broken up by other characters (quotes of a program, marks of lines, invisible
 * characters), in any case, also backwards and in ROT13. None if they change too rarely between letters and digits: `production-01`
 * would be found in `PRODUCTION 01`.
 */
function spellingsOf(value: string): readonly string[] {
  const letters = value.replace(/[^A-Za-z0-9]+/g, '');
  const changes = (letters.match(/\d+|\D+/g) ?? []).length - 1;
  if (letters.length < minBrokenUpLength || changes < 3) return [];
  return [letters, [...letters].toReversed().join(''), letters.replace(/[a-z]/gi, rotated)];
}

function rotated(letter: string): string {
  const code = letter.charCodeAt(0);
  return String.fromCharCode((code & 31) <= 13 ? code + 13 : code - 13);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Little-endian, as PowerShell encodes its commands. */
function utf16(text: string): Uint8Array {
  return Uint8Array.from(text.split('').flatMap((unit) => [unit.charCodeAt(0) & 0xff, unit.charCodeAt(0) >> 8]));
}

function global(pattern: string): RegExp {
  return new RegExp(pattern, 'gu');
}

/** Returns the longest run of letters and digits, in lower case: an encoding of other characters may put letters between. */
function longestWord(text: string): string {
  const words = text.match(/[A-Za-z0-9]+/g) ?? [];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '').toLowerCase();
}

function escapedForm(value: string, mayWrap: boolean): string {
  const parts = value.match(/\\+|\r?\n|[\s\S]/gu) ?? [];
  return parts
    .map((part, index) => {
      // A run of backslashes is only read from its beginning and by one quantifier, so that the time stays linear for a text
      // of backslashes.
      const edge = index === 0 ? String.raw`(?<!\\)` : '';
      if (part.startsWith('\\')) {
        return String.raw`(?:${edge}\\{${part.length},}|(?:${percent('\\')}){${part.length}})`;
      }
      const isAfterRun = parts[index - 1]?.startsWith('\\') === true;
      const form = characterForm(
        part,
        isAfterRun ? noBackslashes : { some: String.raw`${edge}\\+`, any: String.raw`${edge}\\*` },
      );
      return mayWrap && /^\s+$/.test(part) ? `(?:${form})?` : form;
    })
    .join('');
}

const noBackslashes = { some: '', any: '' };

const names: Readonly<Record<string, readonly string[]>> = {
  // The last one is the quote in CSV.
  '"': ['&quot;', '""'],
  '&': ['&amp;'],
  '<': ['&lt;'],
  '>': ['&gt;'],
  // The last two are the quote inside a shell's quoted word, and in SQL or YAML.
  "'": ['&apos;', String.raw`'\\''`, `'"'"'`, "''"],
  ' ': [String.raw`\+`],
};

function characterForm(part: string, { some, any }: { readonly some: string; readonly any: string }): string {
  if (part.endsWith('\n')) {
    return String.raw`(?:\r?\n|${some}(?:r\\+)?n|(?:%(?:25)*0[dD])?%(?:25)*0[aA])`;
  }
  if (part === '\t') return String.raw`(?:\t|${some}t|%(?:25)*09)`;
  if (/[A-Za-z0-9]/.test(part)) return part;
  const code = part.codePointAt(0) ?? 0;
  const units = [...Array(part.length).keys()].map((unit) => part.charCodeAt(unit).toString(16).padStart(4, '0'));
  const unicode = units.map((unit, index) => `${index === 0 ? some : String.raw`\\+`}u${anyCase(unit)}`).join('');
  const numeric = `&#(?:0*${code}|[xX]0*${anyCase(code.toString(16))});`;
  return `(?:${[...(names[part] ?? []), any + literally(part), percent(part), quotedPrintable(part), unicode, numeric].join('|')})`;
}

/** As in the body of a mail. */
function quotedPrintable(text: string): string {
  return [...utf8(text)].map((byte) => `=${anyCase(hex(byte))}`).join('');
}

function percent(text: string): string {
  return [...utf8(text)].map((byte) => `%(?:25)*${anyCase(hex(byte))}`).join('');
}

/** Tools wrap long lines of base64. */
const wrap = String.raw`(?:\r?\n|\\+n)?`;
const letter = '[A-Za-z0-9+/_-]';

/** The numbers of bytes that can stand before a value in a group of three. */
const offsets = [0, 1, 2];

function base64Patterns(bytes: Uint8Array): readonly SecretPattern[] {
  return offsets.map((offset) => base64Pattern(bytes, offset));
}

/** Returns the letters that the bytes have in base64 whatever stands around them, in each alphabet, at each offset. */
function base64Cores(bytes: Uint8Array): readonly string[] {
  const cores = offsets.map((offset) => base64Core(bytes, offset));
  return [...new Set([...cores, ...cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'))])];
}

/** The first and the last letter can hold bits of their neighbours, and are left out then. */
function base64Core(bytes: Uint8Array, offset: number): string {
  const padded = new Uint8Array(offset + bytes.length);
  padded.set(bytes, offset);
  const encoded = btoa(Array.from(padded, (byte) => String.fromCharCode(byte)).join(''));
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor((padded.length * 8) / 6));
}

/**
 * Returns the base64 text of the bytes when `offset` bytes stand before them in a group of three. Any letter matches where a letter
 * holds bits of neighbours.
 */
function base64Pattern(bytes: Uint8Array, offset: number): SecretPattern {
  const letters = base64Core(bytes, offset);
  const pattern = lazily(() => {
    const core = [...letters].map(base64Letter).join(wrap);
    const head = offset === 0 ? '' : letter + wrap;
    const tail = (offset + bytes.length) % 3 === 0 ? '' : `${wrap}${letter}(?:=|%3[dD]){0,2}`;
    return global(head + core + tail);
  });
  return { pattern, needle: longestWord(letters) };
}

function base64Letter(text: string): string {
  if (text === '+') return '(?:[+-]|%2[bB])';
  if (text === '/') return String.raw`(?:\\*\/|_|%2[fF])`;
  return text;
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

function anyCase(digits: string): string {
  return digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function literally(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
