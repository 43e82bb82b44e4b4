/** How one encoding of a value is found. */
export interface SecretPattern {
  readonly pattern: RegExp;
  /** A string that any match contains once the text is converted by `reading`. Looking for it first is cheap. */
  readonly needle: string;
  readonly reading: Reading;
}

/**
 * How a text is converted: not at all; without the line ends that tools put into base64; without the separators between hex
 * digits.
 */
export type Reading = 'written' | 'unwrapped' | 'digits';

export const readings: Readonly<Record<Reading, (text: string) => string>> = {
  written: (text) => text,
  unwrapped: (text) => text.replace(/\r?\n|(?<!\\)\\+n/g, ''),
  digits: (text) => text.replace(/[ :]/g, '').toLowerCase(),
};

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
  const bytes = new TextEncoder().encode(value);
  const digits = [...bytes].map(hex);
  return [
    { pattern: global(escapedForm(value, mayWrap)), needle: longestWord(value), reading: 'written' },
    ...[0, 1, 2].map((offset) => base64Pattern(bytes, offset)),
    { pattern: global(digits.map(anyCase).join('[ :]?')), needle: digits.join(''), reading: 'digits' },
  ];
}

function global(pattern: string): RegExp {
  return new RegExp(pattern, 'gu');
}

/** The longest run of letters and digits: all encodings but base64 and hex write these as they are. */
function longestWord(text: string): string {
  const words = text.match(/[A-Za-z0-9]+/g) ?? [];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '');
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
  '"': ['&quot;'],
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
  return `(?:${[...(names[part] ?? []), any + literally(part), percent(part), unicode, numeric].join('|')})`;
}

function percent(text: string): string {
  return [...new TextEncoder().encode(text)].map((byte) => `%(?:25)*${anyCase(hex(byte))}`).join('');
}

/** Tools wrap long lines of base64. */
const wrap = String.raw`(?:\r?\n|\\+n)?`;
const letter = '[A-Za-z0-9+/_-]';

/**
 * The base64 text of the bytes when `offset` bytes stand before them in a group of three. The first and the last letter can
 * hold bits of their neighbours, so any letter matches there.
 */
function base64Pattern(bytes: Uint8Array, offset: number): SecretPattern {
  const padded = new Uint8Array(offset + bytes.length);
  padded.set(bytes, offset);
  const encoded = btoa(Array.from(padded, (byte) => String.fromCharCode(byte)).join(''));
  const from = Math.ceil((offset * 8) / 6);
  const to = Math.floor((padded.length * 8) / 6);
  const letters = encoded.slice(from, to);
  const core = [...letters].map(base64Letter).join(wrap);
  const head = offset === 0 ? '' : letter + wrap;
  const tail = padded.length % 3 === 0 ? '' : `${wrap}${letter}(?:=|%3[dD]){0,2}`;
  // Without the first letter: if a backslash stands before it, an `n` is read as a line end.
  return { pattern: global(head + core + tail), needle: longestWord(letters.slice(1)), reading: 'unwrapped' };
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
