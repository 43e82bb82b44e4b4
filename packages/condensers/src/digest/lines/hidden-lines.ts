import { isLLMConvertible, isToolResult } from '@palimpsest/events';
import type { ActionEvent, LLMConvertibleEvent, ToolResultEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { pathsOf } from '../../authoring/calls/paths.js';
import { remembered } from '../../authoring/calls/remembered.js';
import { aheadReader } from '../ahead.js';
import { pathOfCall } from './call-title.js';
import { isOfFrame } from './digest.prompt.js';
import { editsOf } from './edits.js';
import type { FileEdit } from './edits.js';
import type { LoggedEvent } from './log-of-view.js';
import { Edits } from './taken-lines.js';
import { gap, keysOf, linesOfResult, shortestKey, textLine, withoutPlace } from './text-lines.js';
import type { TextLine } from './text-lines.js';

/** What a hidden event shows, line by line, for an excerpt of it. */
export interface Source {
  readonly event: LLMConvertibleEvent;
  /** The call that the event makes or answers. */
  readonly call: ActionEvent | undefined;
  /** The file that the call names. */
  readonly path: string | undefined;
  readonly lines: readonly TextLine[];
  /** The place of the event among those of the log. */
  readonly place: number;
  /** Returns true for a line that a later edit took from the file. */
  isTaken(key: string): boolean;
}

/** A line of a hidden event, at its newest place. */
export interface HiddenLine {
  readonly source: Source;
  /** The index in the lines of the source. */
  readonly index: number;
}

/** A line that stands in two events has this weight, another has 1. */
const seenAgain = 6;
/** Lines of one shape in so many results are a listing or progress, unless a later event repeats one of them. Unit: results. */
const usualShape = 5;
/** A longer line is data. Unit: characters. */
const longestLine = 2_000;

/**
 * Returns the distinct lines of hidden results, and those that hidden calls put into files, the most useful first: seen in two events, and
 * new. A line is left out if it stands in `text` or in what the model reads, if a later edit took it from its file, if it is a tool's word
 * about a state that has passed, and if its shape stands in five results while it stands in one.
 *
 * @param text - what the model reads besides the events
 */
export function hiddenLines(view: View, events: readonly LoggedEvent[], text: string): Iterable<HiddenLine> {
  return replayable(findLines(view, events, text));
}

function* findLines(view: View, events: readonly LoggedEvent[], text: string): Generator<HiddenLine> {
  const standing = standingLines(events, text);
  const { again, shapes } = countsOf(events);
  const edits = new Edits(view, events);
  const now = (events.at(-1)?.step ?? 0) + 1;
  const groups = events.flatMap(({ event, shown, step }, place) => {
    const source = shown === event ? undefined : sourceOf(view, event, place, edits);
    const ofWeight = (weight: number) => ({ source, isAgain: weight > 1, score: weight / (1 + now - step), place });
    return source === undefined ? [] : [ofWeight(seenAgain), ofWeight(1)];
  });
  const found = new Set<string>();
  for (const { source, isAgain } of groups.sort((a, b) => b.score - a.score || b.place - a.place)) {
    if (source === undefined) continue;
    const { event, lines, isTaken } = source;
    const shapesOfLines = !isAgain && isToolResult(event) ? shapesOf(event).ofLines : undefined;
    for (const [key, index] of quotableIn(lines)) {
      // Of the lines of one weight, the newest place of each is met first.
      if (again.has(key) !== isAgain || found.has(key)) continue;
      found.add(key);
      if (standing.has(key) || standing.has(withoutPlace(key)) || isTaken(key)) continue;
      const shape = shapesOfLines?.get(key);
      if (shape === undefined || (shapes.get(shape) ?? 0) < usualShape) yield { source, index };
    }
  }
}

/** Returns what can be read several times. Each item is found once, when it is asked for: most are never needed. */
function replayable<Item>(items: Iterator<Item>): Iterable<Item> {
  const found: Item[] = [];
  return {
    *[Symbol.iterator]() {
      for (let index = 0; ; index++) {
        if (index === found.length) {
          const next = items.next();
          if (next.done === true) return;
          found.push(next.value);
        }
        yield found[index] as Item;
      }
    },
  };
}

/** The lines that a model reads anyway, with and without the place that a search prints. */
function standingLines(events: readonly LoggedEvent[], text: string): ReadonlySet<string> {
  const standing = new Set<string>(text.split('\n').flatMap((line) => [line.trim(), line.trim().replace(/^- /, '')]));
  // A line of a listing is a path, which the lists of a summary hold among other words.
  for (const word of text.split(/\s+/)) standing.add(word);
  for (const { shown } of events) {
    if (shown === undefined) continue;
    for (const key of keysOf(shown)) standing.add(key).add(withoutPlace(key));
    if (shown.type !== 'action') continue;
    for (const { put } of editsOf(shown)) for (const line of put) standing.add(line.trim());
  }
  return standing;
}

/** The lines that two events hold, words of the agent included, and how many results hold a line of a shape. */
function countsOf(events: readonly LoggedEvent[]): {
  readonly again: ReadonlySet<string>;
  readonly shapes: ReadonlyMap<string, number>;
} {
  const seen = new Set<string>();
  const again = new Set<string>();
  const shapes = new Map<string, number>();
  for (const { event } of events) {
    if (event.type === 'message' && event.role !== 'assistant') continue;
    for (const key of keysOf(event)) {
      if (seen.has(key)) again.add(key);
      else seen.add(key);
    }
    if (isToolResult(event))
      for (const shape of shapesOf(event).distinct) shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
  }
  return { again, shapes };
}

/** Returns the lines of a text that can be chosen, each at its last place, in order. A text is read once. */
const quotableIn: (lines: readonly TextLine[]) => ReadonlyMap<string, number> = (lines) =>
  readQuotable(lines, undefined);

const readQuotable = /* @__PURE__ */ remembered((lines: readonly TextLine[], _: undefined) => {
  const places = new Map<string, number>();
  lines.forEach(({ key, isGone }, index) => {
    if (isGone || !isQuotable(key)) return;
    // A map lists its keys in the order in which they were added.
    places.delete(key);
    places.set(key, index);
  });
  return places;
});

/** A word of this length, or an encoded one, is data. Unit: characters. */
const data = /^\S{200}|^[A-Za-z0-9+/=]{60,}$/;
const letterOrDigit = /[\p{L}\p{N}]/u;

/** Returns true for a line that tells a model something, and that it cannot take for a part of the summary. */
function isQuotable(key: string): boolean {
  if (key.length < shortestKey || key.length > longestLine) return false;
  return letterOrDigit.test(key) && !data.test(key) && !isOfFrame(key) && !stateWords.test(key);
}

/** The words of editors and runtimes about a state that has passed by the time they are read again. */
const stateWords =
  /\bfile state is current\b|\b(?:updated|created|written|applied|saved|edited|replaced|modified|overwritten|deleted) successfully\b|\bsuccessfully (?:updated|created|wrote|written|applied|saved|edited|replaced|modified|overwr\w+|deleted)\b|\bhas been (?:updated|created|edited|modified|saved)\b|\btokens? (?:used|left|remaining)\b|\btoken count\b|^success\. updated the following files\b|\btool use was rejected\b|^user has approved your plan\b|^<system-reminder>|^no (?:matches|files) found\b|\bhere's the result of running `cat -n`/i;

/** Runs of the characters of paths: one without a slash is none. A pattern for the slash would be quadratic in a long word. */
const run = /[\w.@~/-]{3,}/g;
const number = /[0-9a-f]{6,}|\d+/g;

/** Returns a line with its paths and numbers blanked. */
function shapeOf(key: string): string {
  const withoutPaths = key.includes('/') ? key.replace(run, (word) => (/\/\w/.test(word) ? 'P' : word)) : key;
  return withoutPaths.replace(number, '#');
}

/** The shapes of lines that hold a path or a number. */
interface Shapes {
  readonly ofLines: ReadonlyMap<string, string>;
  readonly distinct: ReadonlySet<string>;
}

/** Returns the shapes of a result's lines. A result is read once. */
const shapesOf: (event: ToolResultEvent) => Shapes = (event) => readShapes(event, undefined);

const readShapes = /* @__PURE__ */ remembered((event: ToolResultEvent, _: undefined): Shapes => {
  const ofLines = new Map<string, string>();
  for (const key of keysOf(event)) {
    const shape = key.length > longestLine ? key : shapeOf(key);
    if (shape !== key) ofLines.set(key, shape);
  }
  return { ofLines, distinct: new Set(ofLines.values()) };
});

function sourceOf(view: View, event: LLMConvertibleEvent, place: number, edits: Edits): Source | undefined {
  const call = view.callOf(event.id);
  if (isToolResult(event)) {
    const path = call && pathOfCall(call);
    const isTaken = (key: string): boolean => edits.hasTaken(key, place, path);
    return { event, call, path, lines: linesOfResult(event), place, isTaken };
  }
  if (event.type !== 'action') return undefined;
  const made = edits.of(event);
  const [first] = made;
  if (first === undefined) return undefined;
  const lines = linesOfEdits(made, undefined);
  const isTaken = (key: string): boolean => edits.hasTaken(key, place, first.path);
  return {
    event,
    call: event,
    path: made.every(({ path }) => path === first.path) ? first.path : undefined,
    lines,
    place,
    isTaken,
  };
}

/** Returns the lines that edits leave, and behind them those that each takes: they show where the others stand. */
const linesOfEdits = /* @__PURE__ */ remembered((edits: readonly FileEdit[], _: undefined): readonly TextLine[] =>
  edits.flatMap(({ put, taken }) => {
    const gone = [...taken].map((key): TextLine => ({ text: key, key, isGone: true }));
    return [...put.map((line) => textLine(line)), ...gone, gap];
  }),
);

/** Reads an event ahead: a later {@link hiddenLines} need not read it again. */
export function readLinesOf(event: LLMConvertibleEvent, view: View): void {
  const logged = view.original(event.id);
  if (logged === undefined || !isLLMConvertible(logged)) return;
  keysOf(logged);
  pathsOf(logged);
  if (isToolResult(logged)) {
    shapesOf(logged);
    quotableIn(linesOfResult(logged));
  } else if (logged.type === 'action') {
    pathOfCall(logged);
    quotableIn(linesOfEdits(editsOf(logged), undefined));
  }
}

/** Reads the newest events of a view ahead. */
export const readLinesAhead = /* @__PURE__ */ aheadReader(readLinesOf);
