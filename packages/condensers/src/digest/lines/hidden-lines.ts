import { isLLMConvertible, isToolResult } from '@palimpsest/events';
import type { ActionEvent, LLMConvertibleEvent, ToolResultEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { isFailedStatus, readResult } from '../../authoring/calls/result.js';
import { editsOf, isSameFile } from './edits.js';
import type { FileEdit, LinePart } from './edits.js';
import type { LoggedEvent } from './log-of-view.js';
import { aheadReader } from '../ahead.js';
import { pathsOf } from '../../authoring/calls/paths.js';
import { pathOfCall } from './call-title.js';
import { isOfFrame } from './digest.prompt.js';
import { keysOf, linesOfResult, shortestKey, textLine } from './text-lines.js';
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
    if (shown !== undefined) for (const key of keysOf(shown)) standing.add(key).add(besideMatch.exec(key)?.[1] ?? key);
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
    source?.lines.forEach(({ key }, index) => {
      if (isQuotable(key)) found.set(key, { source, index, step });
    });
  });
  const now = (events.at(-1)?.step ?? 0) + 1;
  const lines: HiddenLine[] = [];
  for (const [key, { source, index, step }] of found) {
    if (
      standing.has(key) ||
      standing.has(besideMatch.exec(key)?.[1] ?? key) ||
      stateWords.test(key) ||
      source.isTaken(key)
    )
      continue;
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

const knownShapes = new WeakMap<ToolResultEvent, ReadonlySet<string>>();

/** The shapes of a result's lines that hold a path or a number, each once. */
function shapesOf(event: ToolResultEvent): ReadonlySet<string> {
  const known = knownShapes.get(event);
  if (known !== undefined) return known;
  const shapes = new Set<string>();
  for (const key of keysOf(event)) {
    const shape = key.length > longestLine ? key : shapeOf(key);
    if (shape !== key) shapes.add(shape);
  }
  knownShapes.set(event, shapes);
  return shapes;
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
  const lines = made.flatMap(({ put }) => put.map((line) => textLine(line)));
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

/** The edits of a log that succeeded, and which lines each took from its file. */
class Edits {
  readonly #taken = new Map<string, { readonly place: number; readonly path: string }[]>();
  readonly #files = new Files();
  readonly #of = new Map<ActionEvent, readonly FileEdit[]>();

  constructor(view: View, events: readonly LoggedEvent[]) {
    events.forEach(({ event }, place) => {
      if (isToolResult(event)) {
        const call = view.callOf(event.id);
        const path = call && pathOfCall(call);
        if (path !== undefined) this.#files.add(path, keysOf(event));
      }
      if (event.type !== 'action') return;
      const edits = editsOf(event);
      const result = edits.length === 0 ? undefined : view.resultOf(event.id);
      if (result === undefined || isFailedStatus(readResult(result, { isCommand: false }).status)) return;
      this.#of.set(event, edits);
      for (const edit of edits) this.#add(edit, place);
    });
  }

  #add({ path, taken, put, parts, isWhole }: FileEdit, place: number): void {
    const keys = new Set(put.map((line) => line.trim()));
    const gone = isWhole ? this.#files.replace(path, keys) : [...taken, ...this.#files.holding(path, parts, keys)];
    if (!isWhole) this.#files.add(path, keys);
    for (const key of gone) {
      const places = this.#taken.get(key);
      if (places === undefined) this.#taken.set(key, [{ place, path }]);
      else places.push({ place, path });
    }
  }

  /** The edits of a call; none if it failed, or has no result yet. */
  of(action: ActionEvent): readonly FileEdit[] {
    return this.#of.get(action) ?? [];
  }

  /**
   * Returns true if an edit after a place has taken a line from a file. Where the file is not known, as in the output of a command, an edit
   * of any file counts.
   */
  hasTaken(key: string, place: number, path: string | undefined): boolean {
    const found = besideMatch.exec(key)?.[1];
    return [key, ...(found === undefined ? [] : [found])].some((line) =>
      this.#taken.get(line)?.some((edit) => edit.place > place && (path === undefined || isSameFile(edit.path, path))),
    );
  }
}

/** The lines that are known to have stood in each file. */
class Files {
  readonly #byName = new Map<string, { readonly path: string; keys: Set<string> }[]>();

  #file(path: string): { keys: Set<string> } {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const named = this.#byName.get(name) ?? [];
    const known = named.find((file) => isSameFile(file.path, path));
    if (known !== undefined) return known;
    const file = { path, keys: new Set<string>() };
    this.#byName.set(name, [...named, file]);
    return file;
  }

  add(path: string, keys: ReadonlySet<string>): void {
    const file = this.#file(path);
    for (const key of keys) file.keys.add(key);
  }

  /** Returns the known lines of which a replacement took a part, unless the part is a known line itself. */
  holding(path: string, parts: readonly LinePart[], stays: ReadonlySet<string>): readonly string[] {
    const { keys } = this.#file(path);
    const inLines = parts.filter(({ text }) => !keys.has(text));
    if (inLines.length === 0) return [];
    return [...keys].filter((key) => !stays.has(key) && inLines.some((part) => isPartOf(key, part)));
  }

  /** Returns the known lines that a new content does not have. */
  replace(path: string, keys: Set<string>): readonly string[] {
    const file = this.#file(path);
    const gone = [...file.keys].filter((key) => !keys.has(key));
    file.keys = keys;
    return gone;
  }
}

function isPartOf(key: string, { text, at }: LinePart): boolean {
  if (at === 'end') return key.endsWith(text);
  return at === 'start' ? key.startsWith(text) : key.includes(text);
}

/** What a search prints before a line: `src/cart.ts:12:`, `12:`, `12-`. */
const besideMatch = /^(?:[^\s:]+:)?\d{1,7}[:-]\s*(.*)$/;

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
