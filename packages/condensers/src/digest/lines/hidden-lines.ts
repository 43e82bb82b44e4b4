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
  readonly score: number;
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
export function hiddenLines(view: View, events: readonly LoggedEvent[], text: string): readonly HiddenLine[] {
  const standing = new Set<string>(text.split('\n').flatMap((line) => [line.trim(), line.trim().replace(/^- /, '')]));
  // A line of a listing is a path, which the lists of a summary hold among other words.
  for (const word of text.split(/\s+/)) standing.add(word);
  const seen = new Map<string, number>();
  const shapes = new Map<string, number>();
  for (const { event, shown } of events) {
    if (shown !== undefined) for (const key of keysOf(shown)) standing.add(key).add(withoutPlace(key));
    if (shown?.type === 'action')
      for (const { put } of editsOf(shown)) for (const line of put) standing.add(line.trim());
    if (event.type === 'message' && event.role !== 'assistant') continue;
    for (const key of keysOf(event)) seen.set(key, (seen.get(key) ?? 0) + 1);
    if (isToolResult(event)) for (const shape of shapesOf(event)) shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
  }
  const edits = new Edits(view, events);
  const found = new Map<string, Omit<HiddenLine, 'score'> & { readonly step: number }>();
  events.forEach(({ event, shown, step }, place) => {
    if (shown === event) return;
    const source = sourceOf(view, event, place, edits);
    source?.lines.forEach(({ key, isGone }, index) => {
      if (!isGone && isQuotable(key)) found.set(key, { source, index, step });
    });
  });
  const now = (events.at(-1)?.step ?? 0) + 1;
  const lines: HiddenLine[] = [];
  for (const [key, { source, index, step }] of found) {
    if (standing.has(key) || standing.has(withoutPlace(key)) || stateWords.test(key) || source.isTaken(key)) continue;
    const times = seen.get(key) ?? 1;
    if (times < 2 && isToolResult(source.event)) {
      const shape = shapeOf(key);
      if (shape !== key && (shapes.get(shape) ?? 0) >= usualShape) continue;
    }
    lines.push({ source, index, score: (times < 2 ? 1 : seenAgain) / (1 + now - step) });
  }
  return lines.sort((a, b) => b.score - a.score || b.source.place - a.source.place || a.index - b.index);
}

/** A word of this length, or an encoded one, is data. Unit: characters. */
const data = /^\S{200}|^[A-Za-z0-9+/=]{60,}$/;
const letterOrDigit = /[\p{L}\p{N}]/u;

/** Returns true for a line that tells a model something, and that it cannot take for a part of the summary. */
function isQuotable(key: string): boolean {
  if (key.length < shortestKey || key.length > longestLine) return false;
  return letterOrDigit.test(key) && !data.test(key) && !isOfFrame(key);
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

/** Returns the shapes of a result's lines that hold a path or a number, each once. A result is read once. */
const shapesOf: (event: ToolResultEvent) => ReadonlySet<string> = (event) => readShapes(event, undefined);

const readShapes = /* @__PURE__ */ remembered((event: ToolResultEvent, _: undefined): ReadonlySet<string> => {
  const shapes = new Set<string>();
  for (const key of keysOf(event)) {
    const shape = key.length > longestLine ? key : shapeOf(key);
    if (shape !== key) shapes.add(shape);
  }
  return shapes;
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
  const lines = made.flatMap(linesOfEdit);
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

/** Returns the lines that an edit leaves, and behind them those that it takes: they show where the others stand. */
function linesOfEdit({ put, taken }: FileEdit): readonly TextLine[] {
  const gone = [...taken].map((key): TextLine => ({ text: key, key, isGone: true }));
  return [...put.map((line) => textLine(line)), ...gone, gap];
}

/** Reads an event ahead: a later {@link hiddenLines} need not read it again. */
export function readLinesOf(event: LLMConvertibleEvent, view: View): void {
  const logged = view.original(event.id);
  if (logged === undefined || !isLLMConvertible(logged)) return;
  keysOf(logged);
  pathsOf(logged);
  if (isToolResult(logged)) shapesOf(logged);
  else if (logged.type === 'action') editsOf(logged);
}

/** Reads the newest events of a view ahead. */
export const readLinesAhead = /* @__PURE__ */ aheadReader(readLinesOf);
