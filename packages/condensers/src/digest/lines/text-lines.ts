import { isToolResult } from '@palimpsest/events';
import type { Event, LLMConvertibleEvent, ToolResultEvent } from '@palimpsest/events';
import { parseArguments } from '../../authoring/calls/arguments.js';
import { textOfEvent } from '../../authoring/calls/excerpt.js';
import { remembered } from '../../authoring/calls/remembered.js';
import { readResult as readOutcome } from '../../authoring/calls/result.js';

/** A line that can be quoted. */
export interface TextLine {
  /** The line without a printed number, a diff's mark and blanks at its end. */
  readonly text: string;
  /** The text without the blanks around it: what a line is recognised by. */
  readonly key: string;
  /** The line's printed number. */
  readonly number?: number | undefined;
  /** True for a line that the call took away: it is never quoted, and shows where the others stand. */
  readonly isGone?: boolean | undefined;
}

/** A shorter line says too little to be found by it. Unit: characters. */
export const shortestKey = 15;

/** Stands where a diff leaves lines out, and between two edits. */
export const gap: TextLine = { text: '…', key: '…' };

const printedNumber = /^ *(\d{1,7})(?:\t|→| ?\| |: )/;
const header =
  /^(?:index [0-9a-f]+\.\.|diff --git |--- |\+\+\+ |\\ No newline|(?:new|deleted) file mode |(?:old|new) mode |(?:rename|copy) (?:from|to) |(?:dis)?similarity index )/;
/** What a terminal reads as colours and movements. */
const terminalCodes = /\u001B\[[\d;?]*[A-Za-z]/g;
/** So many lines show whether a result prints numbers, and so many of them have one if it does. */
const looked = 60;
const leastNumbered = 0.4;

/**
 * Returns the lines of a tool's result. Printed line numbers are stripped. Of a diff the lines that stand afterwards are returned,
 * without marks, headers and those that it takes away. A result is read once.
 */
export const linesOfResult: (event: ToolResultEvent) => readonly TextLine[] = (event) => readResult(event, undefined);

const readResult = /* @__PURE__ */ remembered((event: ToolResultEvent, _: undefined): readonly TextLine[] => {
  const raw = bodyOf(event).split('\n').map(printed);
  if (raw.some((line) => line.startsWith('@@ '))) return raw.flatMap(lineOfDiff);
  const isNumbered = printsNumbers(raw);
  const numbers = raw.map((line) => printedNumber.exec(line));
  return raw.map((line, index) => {
    const match = numbers[index] as RegExpExecArray | null;
    if (match === null) return textLine(line);
    const number = Number(match[1]);
    const [before, next] = [numbers[index - 1]?.[1], numbers[index + 1]?.[1]];
    const goesOn = Number(before) === number - 1 || Number(next) === number + 1;
    return isNumbered || goesOn ? textLine(line.slice(match[0].length), number) : textLine(line);
  });
});

/** Returns what a tool printed, without the frame of a runtime. */
function bodyOf(event: ToolResultEvent): string {
  return event.type === 'observation' ? readOutcome(event, { isCommand: false }).body : textOfEvent(event);
}

/** Returns a line as a terminal shows it: without codes, and what was printed over it last. */
function printed(line: string): string {
  const plain = line.includes('\u001B') ? line.replace(terminalCodes, '') : line;
  const text = plain.endsWith('\r') ? plain.slice(0, -1) : plain;
  return text.slice(text.lastIndexOf('\r') + 1);
}

function printsNumbers(lines: readonly string[]): boolean {
  const filled = lines.slice(0, looked).filter((line) => line.trim() !== '');
  const numbered = filled.filter((line) => printedNumber.test(line)).length;
  return numbered > 0 && numbered >= filled.length * leastNumbered;
}

function lineOfDiff(line: string): readonly TextLine[] {
  if (line.startsWith('@@ ')) return [gap];
  if (header.test(line) || line.startsWith('-')) return [];
  return [textLine(/^[+ ]/.test(line) ? line.slice(1) : line)];
}

/** Returns a line without the blanks at its end. */
export function textLine(line: string, number?: number): TextLine {
  const text = line.trimEnd();
  return { text, key: text.trimStart(), number };
}

/**
 * Returns the lines by which an event is known, each once: those of {@link shortestKey} characters or more that it shows a model. Printed
 * numbers are stripped. An event is read once.
 */
export const keysOf: (event: LLMConvertibleEvent) => ReadonlySet<string> = (event) => readKeys(event, undefined);

const readKeys = /* @__PURE__ */ remembered((event: LLMConvertibleEvent, _: undefined): ReadonlySet<string> => {
  const keys = new Set<string>();
  const add = (key: string): void => {
    if (key.length >= shortestKey) keys.add(key);
  };
  if (isToolResult(event)) for (const { key } of linesOfResult(event)) add(key);
  else for (const text of textsOf(event)) for (const line of text.split('\n')) add(line.trim());
  return keys;
});

/** The texts of an event, with the strings of a call's arguments as they are read. */
function textsOf(event: Event): readonly string[] {
  if (event.type !== 'action') return [textOfEvent(event)];
  const thought = event.thought.map((part) => (part.type === 'text' ? part.text : ''));
  const { leaves, plainText } = parseArguments(event.toolCall.arguments);
  return [...thought, ...leaves.map(({ value }) => String(value)), plainText ?? ''];
}

const printedPlace = /^(?:[^\s:]+:)?\d{1,7}[:-]\s*(.*)$/;

/** Returns a line without the place that a search prints before it: `src/cart.ts:12:`, `12:`, `12-`. */
export function withoutPlace(key: string): string {
  return printedPlace.exec(key)?.[1] ?? key;
}
