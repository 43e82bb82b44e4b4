import { textBoundary } from '@palimpsest/events';
import { decodeEscapes, releasableLength, decodeWithOffsets } from './decoding.js';
import { brokenUpPatterns, lettersOf, secretPatterns } from './patterns.js';
import type { SecretPattern } from './patterns.js';

/** The minimum length of a value. Masking shorter ones would hide ordinary text. Unit: characters. */
export const minSecretLength = 6;

/** The place of a value in a text, and its replacement. */
export interface FoundSecret {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

export interface SecretSearch {
  /** Returns the places in order and without overlaps. */
  find(text: string): readonly FoundSecret[];
  /**
   * A character that stands further before the end of a text, in its {@link decodeEscapes}, cannot belong to a value that goes
   * on behind the end. Unit: characters.
   */
  readonly longest: number;
  /** The length of the longest value that is found although it is broken up. Unit: characters of the value. */
  readonly longestBrokenUp: number;
  /** Removes an end with which a value begins from a text that was cut off. */
  cutPartialSecret(text: string): string;
}

interface Search {
  readonly label: string;
  /** For texts as they are. */
  readonly written: readonly SecretPattern[];
  /** For texts whose escapes, colours and line ends were undone, if there are any. */
  readonly plain: readonly SecretPattern[];
  /** For texts whose escapes, colours and line ends, if there are any, were undone. */
  readonly brokenUp: readonly SecretPattern[];
  /** The length of the value without its blanks: no encoding is shorter. Unit: characters. */
  readonly length: number;
}

/** Makes a search for values, each with its label `[secret NAME]`. A match inside a label does not count. */
export function secretSearch(values: readonly { readonly name: string; readonly value: string }[]): SecretSearch {
  const parts = values.flatMap(({ name, value }) => [value, ...longLines(value)].map((part) => ({ name, part })));
  const searches = parts.map(({ name, part }) => ({
    label: labelOf(name),
    written: secretPatterns(part),
    plain: plainForms(part).flatMap((form) => secretPatterns(form, { mayWrap: true })),
    brokenUp: brokenUpPatterns(part),
    length: part.replaceAll(/\s+/g, '').length,
  }));
  const labels = values.map(({ name }) => labelOf(name));
  const forms = parts.map(({ part }) => part);
  return {
    find: (text) => found(text, searches, labels),
    longest: Math.max(0, ...values.map(({ value }) => lengthToHold(value))),
    longestBrokenUp: Math.max(
      0,
      ...parts.map(({ part }, index) => (searches[index]?.brokenUp.length === 0 ? 0 : part.length)),
    ),
    cutPartialSecret: (text) => cutPartialSecret(text, forms),
  };
}

/** A value may itself contain what is undone in a text. */
function plainForms(value: string): readonly string[] {
  const plain = decodeEscapes(value);
  return plain === value || plain.length < minSecretLength ? [value] : [value, plain];
}

/**
 * Returns the texts with the values hidden. They are read as one text, so that a value is found that begins in one of them and
 * ends in another. Its label stands where it begins.
 */
export function withoutSecrets(texts: readonly string[], { find }: SecretSearch): readonly string[] {
  const hidden = find(texts.join(''));
  if (hidden.length === 0) return texts;
  let offset = 0;
  return texts.map((text) => {
    const [from, to] = [offset, offset + text.length];
    offset = to;
    let result = '';
    let position = from;
    for (const { start, end, label } of hidden) {
      if (end <= from || start >= to) continue;
      result += text.slice(position - from, Math.max(start, from) - from) + (start >= from ? label : '');
      position = Math.min(end, to);
    }
    return result + text.slice(position - from);
  });
}

function labelOf(name: string): string {
  return `[secret ${name}]`;
}

/** Returns the lines of a key, because a tool may print only a few. The first and the last line of a key are not secret. */
function longLines(value: string): readonly string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return lines.length === 1 ? [] : lines.filter((line) => line.length >= 16 && !line.startsWith('-----'));
}

/**
 * Returns the length of a text that must be held back. If every line of a value is also searched for by itself, one
 * line is enough.
 */
function lengthToHold(value: string): number {
  const lines = longLines(value);
  const parts = value.split(/\r?\n/).filter((line) => !line.startsWith('-----') && line.trim() !== '');
  const alone = lines.length > 0 && lines.length === parts.length ? lines : [value];
  return Math.max(...alone.map(longestForm));
}

/** A letter or digit takes at most 3 characters, percent-encoded, escaped or in hex. Any other character takes at most 12. */
function longestForm(text: string): number {
  return 3 * text.length + 9 * text.replace(/[A-Za-z0-9]/g, '').length;
}

function found(text: string, searches: readonly Search[], labels: readonly string[]): readonly FoundSecret[] {
  const letters = lettersOf(text);
  const all = [...foundBy('written', { text, letters }, searches), ...foundInDecoded({ text, letters }, searches)];
  if (all.length === 0) return all;
  // Labels in the text are not masked again, whatever words they hold. A label of somebody else is ordinary text.
  const own = labels.flatMap((label) => placesOf(label, text));
  return joined(all.filter(({ start, end }) => !own.some((place) => place.start <= start && end <= place.end)));
}

/** A text and its {@link lettersOf}. */
interface SearchedText {
  readonly text: string;
  readonly letters: string;
}

function foundBy(
  which: 'written' | 'plain' | 'brokenUp',
  { text, letters }: SearchedText,
  searches: readonly Search[],
): readonly FoundSecret[] {
  const all: FoundSecret[] = [];
  for (const { label, length, [which]: patterns } of searches) {
    if (text.length < length) continue;
    for (const { pattern, needle } of patterns) {
      if (!letters.includes(needle)) continue;
      for (const match of text.matchAll(pattern())) {
        all.push({ start: match.index, end: match.index + match[0].length, label });
      }
    }
  }
  return all;
}

/** Finds values that are escaped, wrapped, coloured or broken up, with everything between their characters. */
function foundInDecoded(written: SearchedText, searches: readonly Search[]): readonly FoundSecret[] {
  const text = decodeEscapes(written.text);
  if (text === written.text) return foundBy('brokenUp', written, searches);
  const plain = { text, letters: lettersOf(text) };
  const places = [...foundBy('plain', plain, searches), ...foundBy('brokenUp', plain, searches)];
  if (places.length === 0) return [];
  const { starts, ends } = decodeWithOffsets(written.text);
  return places.map(({ start, end, label }) => ({
    start: starts[start] ?? 0,
    end: ends[end - 1] ?? written.text.length,
    label,
  }));
}

function placesOf(label: string, text: string): readonly { readonly start: number; readonly end: number }[] {
  const places: { readonly start: number; readonly end: number }[] = [];
  for (let start = text.indexOf(label); start >= 0; start = text.indexOf(label, start + label.length)) {
    places.push({ start, end: start + label.length });
  }
  return places;
}

/** Merges overlapping places. */
function joined(places: readonly FoundSecret[]): readonly FoundSecret[] {
  const result: FoundSecret[] = [];
  for (const next of places.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || next.start >= last.end) result.push(next);
    else result[result.length - 1] = { ...last, end: Math.max(last.end, next.end) };
  }
  return result;
}

/** A text that is written in pieces. */
export interface TextStream {
  write(text: string): void;
  /** Ends a text that is complete. */
  end(): void;
  /** Ends a text that was cut off. An end with which a value may begin is dropped. */
  cut(): void;
}

/** Emits a text with the values hidden, as soon as no value can begin in the emitted part and end in the rest. */
export function maskedStream(search: SecretSearch, emit: (text: string) => void): TextStream {
  let rest = '';
  const release = (end: number, finish = (text: string) => text): void => {
    const [masked = ''] = withoutSecrets([rest.slice(0, end)], search);
    const text = finish(masked);
    rest = rest.slice(end);
    if (text !== '') emit(text);
  };
  return {
    write(text) {
      rest += text;
      const { longest, longestBrokenUp } = search;
      const end = releasableLength(rest, { length: longest, letters: longestBrokenUp, most: 16 * longest + 4_096 });
      if (end <= 0) return;
      const across = search.find(rest).find((place) => place.start < end && place.end > end);
      release(across?.start ?? textBoundary(rest, end));
    },
    end: () => release(rest.length),
    cut: () => release(rest.length, (text) => search.cutPartialSecret(text)),
  };
}

/** A shorter end can be part of any word. Unit: characters. */
const leastPartial = 4;

/**
 * Removes an end of the text with which a value may begin: for texts that were cut off. Values are looked for as they are and
 * as JSON writes them.
 */
function cutPartialSecret(text: string, values: readonly string[]): string {
  const forms = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  const begun = Math.max(0, ...forms.map((form) => partialLength(text, form)));
  return text.slice(0, text.length - begun);
}

/** Returns the length of the beginning of a value at the end of a text. The whole value does not count. */
function partialLength(text: string, value: string): number {
  for (let length = Math.min(value.length - 1, text.length); length >= leastPartial; length--) {
    if (text.endsWith(value.slice(0, length))) return length;
  }
  return 0;
}
