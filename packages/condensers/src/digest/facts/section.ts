import { excerpt } from '../../authoring/calls/excerpt.js';
import { leftOutLine } from './manifest.prompt.js';

/** A part of a summary that can be written at any length. */
export interface Section {
  readonly heading: string;
  /** The guaranteed space of the section, before the rest is distributed. Unit: share of the whole, 0 to 1. */
  readonly share: number;
  /** True if the section has no content. */
  readonly isEmpty: boolean;
  /** The lines without the heading, in at most so many characters; empty if nothing fits. */
  fit(characters: number): readonly string[];
}

/**
 * Returns a section of one-line entries, the newest last. If not all fit, the oldest are left out and a line states
 * their number. Entries that are left out are never rendered, so the cost of a long list is that of its shown part.
 */
export function listSection<Entry>(
  heading: string,
  share: number,
  entries: readonly Entry[],
  textOf: (entry: Entry) => string,
): Section {
  const newest: string[] = [];
  const line = (back: number): string =>
    (newest[back] ??= `- ${inOneLine(textOf(entries[entries.length - 1 - back] as Entry))}`);
  return {
    heading,
    share,
    isEmpty: entries.length === 0,
    fit: (characters) => {
      const count = newestThatFit(entries.length, (back) => line(back).length + 1, characters);
      const lines = newest.slice(0, count).toReversed();
      return count === 0 || count === entries.length ? lines : [leftOutLine(entries.length - count), ...lines];
    },
  };
}

/** Paths and titles come from the arguments of calls: a line break in one must not begin an entry or a heading. */
function inOneLine(text: string): string {
  return /[\n\r\u2028\u2029]/.test(text) ? text.split(/[\n\r\u2028\u2029]+/).join(' ') : text;
}

/** The number of newest entries that fit: all, or as many as fit beside the line about the omitted ones. */
function newestThatFit(length: number, sizeOf: (back: number) => number, characters: number): number {
  const note = leftOutLine(length).length + 1;
  let size = 0;
  let besideNote = 0;
  for (let count = 1; count <= length; count++) {
    size += sizeOf(count - 1);
    if (size > characters) return besideNote;
    if (size + note <= characters) besideNote = count;
  }
  return length;
}

/** Returns the length of lines, each with its line break. Unit: characters. */
export function sizeOfLines(lines: readonly string[]): number {
  return lines.reduce((size, line) => size + line.length + 1, 0);
}

/**
 * Returns a section of texts, oldest first. If not all fit, the longest are cut in the middle, to no less than
 * `atLeast` characters each; after that the oldest are left out.
 */
export function textSection(heading: string, share: number, texts: readonly string[], atLeast: number): Section {
  return {
    heading,
    share,
    isEmpty: texts.length === 0,
    fit: (characters) => {
      const least = (back: number): number => Math.min((texts.at(-1 - back) as string).length, atLeast) + frame;
      const count = newestThatFit(texts.length, least, characters);
      if (count === 0) return [];
      const kept = texts.slice(-count);
      const note = count < texts.length ? [leftOutLine(texts.length - count)] : [];
      const limit = fairLimit(kept, characters - count * frame - sizeOfLines(note));
      return [...note, ...kept.map((text) => `- ${excerpt(text, limit)}`)];
    },
  };
}

/** The length of the markup around a text. Unit: characters. */
const frame = '- '.length + 1;

/** Returns the length to which long texts are cut so that all of them fit together. Unit: characters. */
export function fairLimit(texts: readonly string[], room: number): number {
  let left = room;
  const lengths = texts.map((text) => text.length).sort((a, b) => a - b);
  for (const [index, length] of lengths.entries()) {
    const fair = Math.floor(left / (lengths.length - index));
    if (length > fair) return fair;
    left -= length;
  }
  return lengths.at(-1) ?? 0;
}
