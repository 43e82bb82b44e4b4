import { excerpt } from './excerpt.js';
import { leftOutLine } from './manifest.prompt.js';

/** A part of a summary that can be written at any length. */
export interface Section {
  readonly heading: string;
  /** What it may take before the rest is shared out. Unit: share of the whole, 0 to 1. */
  readonly share: number;
  /** It has nothing to say, at whatever length. */
  readonly isEmpty: boolean;
  /** Its lines, the heading not among them, in at most so many characters; empty where nothing fits. */
  fit(characters: number): readonly string[];
}

/**
 * A section of one-line entries, the newest last. Where not all fit, the oldest are left out, and it says how many; those are
 * never written, so that a long list costs what is shown of it.
 */
export function listSection<Entry>(
  heading: string,
  share: number,
  entries: readonly Entry[],
  textOf: (entry: Entry) => string,
): Section {
  const lines: string[] = [];
  const lineAt = (index: number): string => (lines[index] ??= `- ${textOf(entries[index] as Entry)}`);
  return {
    heading,
    share,
    isEmpty: entries.length === 0,
    fit: (characters) => {
      let first = entries.length;
      let size = 0;
      while (first > 0 && size + lineAt(first - 1).length + 1 <= characters) size += lineAt(--first).length + 1;
      const note = first === 0 ? 0 : leftOutLine(entries.length).length + 1;
      while (first < entries.length && size + note > characters) size -= lineAt(first++).length + 1;
      if (first === entries.length) return [];
      const shown = Array.from({ length: entries.length - first }, (_, index) => lineAt(first + index));
      return first === 0 ? shown : [leftOutLine(first), ...shown];
    },
  };
}

/** What lines take, each with its line break. Unit: characters. */
export function sizeOfLines(lines: readonly string[]): number {
  return lines.reduce((size, line) => size + line.length + 1, 0);
}

/**
 * A section of texts, oldest first. Where not all fit, the longest are cut in the middle until they do, to no less than
 * `atLeast` characters each; after that the oldest are left out.
 */
export function textSection(heading: string, share: number, texts: readonly string[], atLeast: number): Section {
  return {
    heading,
    share,
    isEmpty: texts.length === 0,
    fit: (characters) => {
      const frame = 3;
      const note = leftOutLine(texts.length).length + 1;
      let kept = texts;
      const room = (): number => characters - kept.length * frame - (kept.length < texts.length ? note : 0);
      while (kept.length > 0 && sizeAt(kept, atLeast) > room()) kept = kept.slice(1);
      if (kept.length === 0) return [];
      const limit = fairLimit(kept, room());
      const lines = kept.map((text) => `- ${excerpt(text, limit)}`);
      return kept.length < texts.length ? [leftOutLine(texts.length - kept.length), ...lines] : lines;
    },
  };
}

function sizeAt(texts: readonly string[], limit: number): number {
  return texts.reduce((size, text) => size + Math.min(text.length, limit), 0);
}

/** The length to which long texts are cut so that all together fit. Unit: characters. */
function fairLimit(texts: readonly string[], room: number): number {
  let left = room;
  const lengths = texts.map((text) => text.length).sort((a, b) => a - b);
  for (const [index, length] of lengths.entries()) {
    const fair = Math.floor(left / (lengths.length - index));
    if (length > fair) return fair;
    left -= length;
  }
  return lengths.at(-1) ?? 0;
}
