import { isLLMConvertible, isToolResult } from '@palimpsest/events';
import type { ActionEvent, LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { pathsOf } from '../../authoring/calls/paths.js';
import { remembered } from '../../authoring/calls/remembered.js';
import { aheadReader } from '../ahead.js';
import { pathOfCall } from './call-title.js';
import { editsOf } from './edits.js';
import type { FileEdit } from './edits.js';
import type { LoggedEvent } from './log-of-view.js';
import { Edits } from './taken-lines.js';
import { quotableIn } from './quotable.js';
import { shapesOf } from './shapes.js';
import { gap, keysOf, linesOfResult, textLine, withoutPlace } from './text-lines.js';
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

/**
 * Returns the distinct lines of hidden results, and those that hidden calls put into files, the most useful first: seen in two events, and
 * new. A line is left out if it stands in `text` or in what the model reads, if a later edit took it from its file, if it is a tool's word
 * about a state that has passed, and if its shape stands in five results while it stands in one.
 *
 * @param text - what the model reads besides the events
 */
export function hiddenLines(view: View, events: readonly LoggedEvent[], text: string): Iterable<HiddenLine> {
  const edits = new Edits(view, events);
  const now = (events.at(-1)?.step ?? 0) + 1;
  const groups = events.flatMap(({ event, shown, step }, place) => {
    const source = shown === event ? undefined : sourceOf(view, event, place, edits);
    if (source === undefined) return [];
    const once = 1 / (1 + now - step);
    return [
      { source, isAgain: true, score: seenAgain * once },
      { source, isAgain: false, score: once },
    ];
  });
  groups.sort((a, b) => b.score - a.score || b.source.place - a.source.place);
  return replayable(linesOfGroups(groups, standingLines(events, text), countsOf(events)));
}

/** The lines of a source that have one weight. */
interface WeightedGroup {
  readonly source: Source;
  readonly isAgain: boolean;
}

function* linesOfGroups(
  groups: readonly WeightedGroup[],
  standing: ReadonlySet<string>,
  { again, shapes }: Counts,
): Generator<HiddenLine> {
  const found = new Set<string>();
  for (const { source, isAgain } of groups) {
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

interface Counts {
  /** The lines that two events hold, words of the agent included. */
  readonly again: ReadonlySet<string>;
  /** How many results hold a line of a shape. */
  readonly shapes: ReadonlyMap<string, number>;
}

function countsOf(events: readonly LoggedEvent[]): Counts {
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
