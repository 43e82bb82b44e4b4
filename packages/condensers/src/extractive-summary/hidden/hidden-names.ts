import { isLLMConvertible } from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { oneLine } from '../../authoring/calls/excerpt.js';
import { namesOf } from '../../authoring/calls/names.js';
import type { Names } from '../../authoring/calls/names.js';
import { headings } from '../manifest/manifest.prompt.js';
import { filesOfResult } from './files-of-call.js';

/** Names are read from so many forgotten events, the newest first. Unit: events. */
const mostEvents = 2_000;
/** So many of their names are looked at, repeated ones too. */
const mostNames = 25_000;
/** What stands between the words of a summary. */
const besideWords = /[^\w@~-]+/;
/** Names are shorter words than prose: a token of them has about three characters. */
const charactersPerToken = 3;
/** What each kind of name may take, before one that needs less leaves the rest to the next. Unit: share of the whole. */
const shares = { paths: 0.4, definitions: 0.4, symbols: 0.2 };
/** The most that the definitions of one file take. Unit: share of the space for definitions. */
const shareOfFile = 0.3;
/** Older names are not looked at when the found ones would fill their space so many times. */
const plenty = 3;
/** No name is shorter. Unit: characters. */
const shortestLine = 6;
/** The longest name of a file or a tool above its definitions. Unit: characters. */
const longestPlace = 200;

/**
 * Lists the names that stood in forgotten events and stand nowhere in what stays: paths, what files define, other symbols. A later
 * call needs such names word for word. The newest are listed first, and each list ends where its space does. The lists grow from
 * condensation to condensation, because they are read from the log again: `going`, then what earlier condensations forgot.
 *
 * @returns sections with their headings; empty if there is nothing to list
 */
export function hiddenNames(
  view: View,
  options: {
    /** The events that are forgotten now, in order. */
    readonly going: readonly LLMConvertibleEvent[];
    /** The text before the lists in the same summary. */
    readonly summary: string;
    /** Unit: tokens. */
    readonly maxTokens: number;
  },
): readonly string[] {
  const space = options.maxTokens * charactersPerToken;
  if (space <= 0) return [];
  const shown = namesThatStay(view, options.going);
  const isHidden = (name: string): boolean => !shown.has(name) && !options.summary.includes(name);
  const looked = new Set<string>();
  let left = mostNames;
  const paths = new List(space * shares.paths);
  const files = new Map<string, Set<string>>();
  const symbols = new Set<string>();
  let definitionSpace = plenty * space;
  let symbolSpace = plenty * space;
  for (const event of hiddenEvents(view, options.going)) {
    if (left <= 0 || (paths.isFull && definitionSpace <= 0 && symbolSpace <= 0)) break;
    const names = namesOf(event);
    left -= names.paths.length + names.definitions.length + names.symbols.length;
    for (const path of paths.isFull ? [] : names.paths) {
      if (looked.has(path) || !paths.takes(path)) continue;
      looked.add(path);
      if (!isHidden(path)) continue;
      paths.add(path);
      // A longer path that is listed shows its end too.
      for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
        looked.add(path.slice(slash + 1));
    }
    if (definitionSpace > 0) definitionSpace -= addDefinitions(view, event, names, files);
    if (symbolSpace <= 0) continue;
    for (const symbol of names.symbols) {
      if (shown.has(symbol) || symbols.has(symbol)) continue;
      symbols.add(symbol);
      symbolSpace -= symbol.length;
    }
  }
  const outlines = new List(space * shares.definitions + paths.space);
  for (const [path, definitions] of files) {
    if (outlines.isFull) break;
    outlines.add(outline(path, definitions, isHidden, Math.min(space * shareOfFile, outlines.space)));
  }
  const listed = new Set(`${options.summary} ${outlines.text}`.split(besideWords));
  const others = new List(space * shares.symbols + outlines.space);
  for (const symbol of symbols) {
    if (others.isFull) break;
    if (!listed.has(symbol)) others.add(symbol);
  }
  return [
    section(headings.hiddenPaths, paths),
    section(headings.hiddenOutlines, outlines),
    section(headings.hiddenSymbols, others),
  ].filter((text) => text !== '');
}

/** Lines that fit into a space. Unit of the space: characters. */
class List {
  readonly #lines = new Set<string>();
  space: number;

  constructor(space: number) {
    this.space = space;
  }

  add(line: string): void {
    if (line === '' || !this.takes(line)) return;
    this.#lines.add(line);
    this.space -= line.length + 1;
  }

  /** Returns true if a line fits and is new. */
  takes(line: string): boolean {
    return line.length < this.space && !this.#lines.has(line);
  }

  get isFull(): boolean {
    return this.space <= shortestLine;
  }

  get text(): string {
    return [...this.#lines].join('\n');
  }
}

function section(heading: string, { text }: List): string {
  return text === '' ? '' : `## ${heading}\n${text}`;
}

/** The newest first: the events that go now, then those that condensations in force have forgotten. */
function hiddenEvents(view: View, going: readonly LLMConvertibleEvent[]): readonly LLMConvertibleEvent[] {
  const found: LLMConvertibleEvent[] = [];
  const add = (ids: readonly EventId[]): void => {
    for (let index = ids.length - 1; index >= 0 && found.length < mostEvents; index--) {
      const event = view.original(ids[index] as EventId);
      if (event !== undefined && isLLMConvertible(event) && event.type !== 'condensation-summary') found.push(event);
    }
  };
  add(going.map(({ id }) => id));
  for (const { forgottenEventIds } of view.condensations.toReversed()) add(forgottenEventIds);
  return found;
}

function namesThatStay(view: View, going: readonly LLMConvertibleEvent[]): ReadonlySet<string> {
  const goes = new Set(going.map(({ id }) => id));
  const shown = new Set<string>();
  for (const event of view.events) {
    if (goes.has(event.id)) continue;
    const { paths, definitions, symbols } = namesOf(event);
    for (const names of [paths, definitions, symbols]) for (const name of names) shown.add(name);
  }
  return shown;
}

/**
 * Definitions stand under the file that showed them; without one, under the tool.
 *
 * @returns how many characters are new
 */
function addDefinitions(
  view: View,
  event: LLMConvertibleEvent,
  { definitions }: Names,
  files: Map<string, Set<string>>,
): number {
  if (definitions.length === 0 || event.type !== 'observation') return 0;
  const used = filesOfResult(view, event.id);
  // A path is an argument of a call, so it may hold line breaks.
  const place = oneLine(used.length === 1 ? (used[0]?.path ?? event.toolName) : event.toolName, longestPlace);
  const known = files.get(place) ?? new Set();
  let added = 0;
  for (const definition of definitions) {
    if (known.has(definition)) continue;
    known.add(definition);
    added += definition.length;
  }
  files.set(place, known);
  return added;
}

function outline(
  path: string,
  definitions: ReadonlySet<string>,
  isHidden: (name: string) => boolean,
  space: number,
): string {
  let text = `${path}:`;
  for (const definition of definitions) {
    if (text.length + definition.length + 2 > space) break;
    if (!isHidden(definition)) continue;
    text += `${text.endsWith(':') ? '' : ';'} ${definition}`;
  }
  return text.endsWith(':') ? '' : text;
}
