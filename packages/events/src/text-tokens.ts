const space = 0;
const newline = 1;
const lower = 2;
const upper = 3;
const digit = 4;
const mark = 5;
/** Latin letters with an accent. */
const accented = 6;
const cyrillic = 7;
/** Letters of the other alphabets, from Greek to Thai. */
const letter = 8;
/** Korean, the kana of Japanese, and scripts of South-East Asia whose syllables are many signs. */
const syllable = 9;
/** Chinese characters, and signs of their width. */
const wide = 10;
const symbol = 11;
const end = 12;

const asciiClasses = new Uint8Array(128).map((_, code) => {
  if (code === 10 || code === 13) return newline;
  if (code === 32 || code === 9) return space;
  if (code >= 97 && code <= 122) return lower;
  if (code >= 65 && code <= 90) return upper;
  if (code < 32 || code === 127) return symbol;
  return code >= 48 && code <= 57 ? digit : mark;
});

/**
 * The cost of a word beyond its first token: so many tokens for each letter above a length. Tokenizers know most words
 * with the space before them whole, fewer without, and cut what follows a mark, a digit or is written in capitals.
 *
 * @see decision 59 for how these numbers were measured, those of other scripts than Latin too
 */
const words = {
  spaced: [5, 0.03],
  bare: [4, 0.06],
  marked: [1, 0.14],
  numbered: [2, 0.3],
  spacedCapitals: [2, 0.17],
  capitals: [2, 0.35],
  cyrillic: [3, 0.25],
  letters: [2.5, 0.35],
  syllables: [1, 0.6],
  wide: [1, 0.75],
} as const satisfies Readonly<Record<string, readonly [letters: number, tokens: number]>>;

/** The cost of the letters after an accent: the rest of a word. Unit: tokens a letter. */
const afterAccent = 0.35;
/** A longer run of letters is no word but data. */
const longestWord = 24;
/** A longer run of spaces, or of line breaks, is more than one token. Unit: characters. */
const longestBlank = 80;
const longestBreak = 16;
/** In a ruler or the frame of a table most marks are the same as the one before. Unit: share of the marks. */
const mostChangesOfRuler = 0.6;

/** Longer texts are estimated by samples, so that a huge output costs no more than a long one. Unit: characters. */
const longest = 2_048;
const sampleLength = 256;
/** The surplus in the count of a sample, because it begins and ends within a word. Unit: tokens. */
const cutTokens = 1;

/**
 * Returns an estimate of a text's tokens, without a tokenizer's table: walks over the pieces into which a tokenizer
 * such as o200k cuts a text first, and adds what a piece of that kind and length has on average. Costs O(length), up to
 * 2,048 characters; of a longer text eight samples are read.
 */
export function estimateTextTokens(text: string): number {
  if (text.length <= longest) return tokensOf(text);
  const samples = longest / sampleLength;
  const step = (text.length - sampleLength) / (samples - 1);
  let tokens = 0;
  for (let sample = 0; sample < samples; sample++) {
    const start = Math.floor(sample * step);
    tokens += tokensOf(text.slice(start, start + sampleLength)) - cutTokens;
  }
  return (tokens / longest) * text.length;
}

type Codes = Uint8Array | Uint16Array;

const encoder = new TextEncoder();
const asciiCodes = new Uint8Array(longest);
const codes = new Uint16Array(longest);
/** Copying a shorter text at once takes longer than character by character. Unit: characters. */
const leastCopied = 256;

function tokensOf(text: string): number {
  const { length } = text;
  if (length >= leastCopied) {
    // An engine reads numbers much faster than the characters of a text. Of a text in ASCII the bytes are these.
    const { read, written } = encoder.encodeInto(text, asciiCodes);
    if (read === length && written === length) return tokensIn(asciiCodes, length);
  }
  for (let index = 0; index < length; index++) codes[index] = text.charCodeAt(index);
  return tokensIn(codes, length);
}

function tokensIn(text: Codes, to: number): number {
  let tokens = 0;
  let before = newline;
  /** The characters that are cut together with the word after them. */
  let lead = newline;
  for (let at = 0; at < to;) {
    const kind = classAt(text, at);
    let next = at + 1;
    let following = next < to ? classAt(text, next) : end;
    while (following === kind) following = ++next < to ? classAt(text, next) : end;
    const run = next - at;
    at = next;
    if (kind === lower || kind === upper) {
      let length = run;
      if (kind === upper) {
        for (; following === lower; following = at < to ? classAt(text, at) : end) at++;
        length += at - next;
      }
      const isCapitals = kind === upper && run > 1;
      const [letters, each] = isCapitals
        ? lead === space
          ? words.spacedCapitals
          : words.capitals
        : lead === space
          ? words.spaced
          : lead === mark
            ? words.marked
            : before === digit
              ? words.numbered
              : words.bare;
      if (length > longestWord) tokens += length / 4;
      else if (before === accented) tokens += afterAccent * length;
      else tokens += length > letters ? 1 + each * (length - letters) : 1;
      lead = newline;
    } else if (kind >= cyrillic && kind <= wide) {
      const [letters, each] = slopeOf(kind);
      tokens += run > letters ? 1 + each * (run - letters) : 1;
      lead = newline;
    } else if (kind === space) {
      const isWord = following === lower || following === upper || (following >= cyrillic && following <= syllable);
      const isLead = isWord || following === mark;
      // The last space belongs to the word behind it, and spaces at the end of a line to the line break.
      if (following !== newline) tokens += (isLead ? 0 : 1) + (run > 1 ? Math.ceil(run / longestBlank) : 0);
      lead = isLead ? space : newline;
    } else if (kind === mark) {
      const isLead = run === 1 && lead !== space && (following === lower || following === upper);
      if (!isLead) tokens += tokensOfMarks(text, at - run, run);
      lead = isLead ? mark : newline;
    } else {
      // A line break behind a mark belongs to it.
      if (kind === newline) tokens += Math.ceil(run / longestBreak) - (before === mark ? 1 : 0);
      else if (kind === digit) tokens += Math.ceil(run / 3);
      else if (kind === accented) tokens += 0.42 * run;
      else tokens += 1.2 + 0.5 * (run - 1);
      lead = newline;
    }
    before = kind;
  }
  return tokens;
}

function slopeOf(kind: number): readonly [letters: number, tokens: number] {
  if (kind === cyrillic) return words.cyrillic;
  if (kind === letter) return words.letters;
  return kind === syllable ? words.syllables : words.wide;
}

/** Two marks are mostly one token; rulers such as `=====` are in the vocabulary, code that is written in marks is not. */
function tokensOfMarks(text: Codes, start: number, run: number): number {
  if (run <= 2) return 1;
  if (run <= 8) return 1 + 0.5 * (run - 2.5);
  let changes = 0;
  for (let at = start + 1; at < start + run; at++) if (text[at] !== text[at - 1]) changes++;
  return 3.75 + (run - 8) * (changes > run * mostChangesOfRuler ? 0.5 : 1 / 16);
}

function classAt(text: Codes, index: number): number {
  const code = text[index] as number;
  return code < 128 ? (asciiClasses[code] as number) : classOf(code);
}

function classOf(code: number): number {
  if (code < 0xc0) return symbol;
  if (code < 0x2b0 || (code >= 0x1e00 && code < 0x1f00)) return accented;
  if (code >= 0x400 && code < 0x530) return cyrillic;
  if ((code >= 0x1000 && code < 0x1200 && !isGeorgian(code)) || (code >= 0x1780 && code < 0x1800)) return syllable;
  if (code < 0x2000) return letter;
  if ((code >= 0x3040 && code < 0x3100) || (code >= 0xac00 && code < 0xd7b0)) return syllable;
  const isWide =
    (code >= 0x2e80 && code < 0xa000) || (code >= 0xf900 && code < 0xfb00) || (code >= 0xff00 && code < 0xfff0);
  return isWide ? wide : symbol;
}

function isGeorgian(code: number): boolean {
  return code >= 0x10a0 && code < 0x1100;
}
