import type { Event } from '@palimpsest/events';
import { remembered } from '../../authoring/remembered.js';
import { textOfEvent } from './text-of-event.js';

/** The names in one event that a later call may need word for word. */
export interface Names {
  /** Paths, file names and addresses. */
  readonly paths: readonly string[];
  /** The beginnings of lines that define something: `export class Cart`, `def total`. */
  readonly definitions: readonly string[];
  /** Words that stand for something in code or data: identifiers of several parts, ids, hashes. */
  readonly symbols: readonly string[];
}

/** What of an event is read. Unit: characters. */
const mostRead = 60_000;
const longest = 160;
const shortestSymbol = 8;

/** A run of the characters of names and paths, which begins and ends with one that belongs to a name. */
const run = /[A-Za-z0-9_@~/.][\w@~./:#-]*[\w/]/g;
const fileEnding =
  /\.(?:py|pyi|[cm]?[jt]sx?|go|rs|java|kt|rb|php|cs|c|cc|cpp|h|hpp|swift|md|rst|jsonl?|ya?ml|toml|ini|cfg|conf|txt|sh|bash|html?|s?css|sql|lock|mod|sum|log|csv|xml|svg|ipynb|proto|gradle|env|vue|svelte|tf|lua|dart|scala|ex|exs)$/i;
const definition =
  /^[ \t]*(?:\d+[ \t]*[\t→:|-][ \t]*)?((?:(?:export|default|public|private|protected|internal|static|async|abstract|declare|pub(?:\(\w+\))?|final|override|unsafe|inline)[ \t]+)*(?:class|interface|function\*?|def|func|fn|struct|enum|type|trait|impl|module|namespace|const|let|var)[ \t]+(?:\([^()\n]{1,60}\)[ \t]*)?[A-Za-z_$][\w$]*|(?:(?:public|private|protected|static|async|override)[ \t]+)+[A-Za-z_$][\w$]*)/gm;

/** The names in an event, each once, in the order of its text. An event is read once. */
export const namesOf: (event: Event) => Names = (event) => read(event, undefined);

const read = /* @__PURE__ */ remembered((event: Event, _: undefined): Names => {
  const text = textOfEvent(event).slice(0, mostRead);
  const paths = new Set<string>();
  const symbols = new Set<string>();
  for (const [found] of text.matchAll(run)) {
    const word = found.replace(/[.:#-]+$/, '').replace(/(?::\d+){1,2}$/, '');
    if (word.length > longest) continue;
    if (isPath(word)) paths.add(word);
    else for (const part of word.split(/[./:#]+/)) if (isSymbol(part)) symbols.add(part);
  }
  const definitions = new Set<string>();
  if (event.type === 'observation') {
    for (const [, line = ''] of text.matchAll(definition)) if (line.length >= shortestSymbol) definitions.add(line);
  }
  return { paths: [...paths], definitions: [...definitions], symbols: [...symbols] };
});

/** A path of several folders, a file with an ending, or an address. */
function isPath(word: string): boolean {
  if (!/[A-Za-z]/.test(word)) return false;
  if (/^https?:\/\/[^/]+\/./.test(word)) return true;
  return word.length >= 6 && (fileEnding.test(word) || word.split('/').filter((part) => part !== '').length > 2);
}

/** An identifier with a part of its own: an underscore inside, a change of case, a digit. */
function isSymbol(word: string): boolean {
  return (
    word.length >= shortestSymbol &&
    /[A-Za-z]/.test(word) &&
    (/[^_]_[^_]/.test(word) || /[a-z][A-Z]/.test(word) || /\d/.test(word))
  );
}
