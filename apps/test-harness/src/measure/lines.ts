import type { RecordedSession } from './recorded-session.js';
import type { Shown } from './shown.js';

/** A shorter line stands in many results. Unit: characters. */
const shortestLine = 15;
/** A result of fewer lines is a status, no content. */
export const fewestLines = 3;
const leastShare = 0.5;

const printedNumber = /^\s*\d+\s*[→\t:|]/;

/** Returns the lines of a text without indentation, printed line numbers and blank lines. */
export function plainLines(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(printedNumber, '').trim());
  return lines.filter((line) => line !== '').join('\n');
}

/** The content of the events of a session: their different lines that say something. */
export interface LineIndex {
  readonly linesOf: (event: number) => readonly string[];
  /** The events that hold a line, in their order. */
  readonly holding: (line: string) => readonly number[];
}

/** Indexes the events of a session by their lines of 15 characters or more. */
export function lineIndex({ kinds, texts }: RecordedSession): LineIndex {
  const holders = new Map<string, number[]>();
  const lines = texts.map((text, event) => {
    if (kinds[event] === 'internal') return [];
    const long = plainLines(text)
      .split('\n')
      .filter((line) => line.length >= shortestLine);
    const different = [...new Set(long)];
    for (const line of different) {
      const places = holders.get(line);
      if (places === undefined) holders.set(line, [event]);
      else places.push(event);
    }
    return different;
  });
  return { linesOf: (event) => lines[event] ?? [], holding: (line) => holders.get(line) ?? [] };
}

/** Returns true if the line stands in an event that is shown as it was logged, or in a stub or summary. */
export function isLineShown(line: string, { holding }: LineIndex, { isWhole, stubText }: Shown): boolean {
  return holding(line).some(isWhole) || stubText().includes(line);
}

/** Returns true if so many of the different lines of an event are most of its content: half of them, and three at least. */
export function isMostOf(event: number, lines: number, { linesOf }: LineIndex): boolean {
  return lines >= fewestLines && lines >= leastShare * linesOf(event).length;
}
