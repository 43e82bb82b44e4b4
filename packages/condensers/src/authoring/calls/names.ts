import type { Event } from '@palimpsest/events';
import { textOfEvent } from './excerpt.js';
import { remembered } from './remembered.js';

/** The names in one event that a later call may need word for word. */
export interface Names {
  /** Paths, file names and addresses. */
  readonly paths: readonly string[];
  /** The beginnings of lines that define something: `export class Cart`, `def total`. */
  readonly definitions: readonly string[];
  /** Words that stand for something in code or data: identifiers of several parts, ids, hashes. */
  readonly symbols: readonly string[];
}

/** The longest part of an event that is read. Unit: characters. */
const mostRead = 60_000;
const longest = 160;
const shortestSymbol = 8;

/** A line that is longer defines nothing that its beginning does not show. Unit: characters. */
const mostOfLine = 240;

/** No path and no symbol is shorter. Unit: characters. */
const shortest = 6;
/** A word of prose: no path, and no symbol. Most runs are such. */
const prose = /^[A-Za-z]?[a-z]*$/;

/** Runs of the characters of names and paths. Their ends are trimmed by hand: a pattern would be quadratic in a line of dots. */
const run = /[\w@~./:#-]{6,}/g;
const begins = /[A-Za-z0-9_@~/.]/;
const ends = /[\w/]/;
const fileEnding =
  /\.(?:py|pyi|[cm]?[jt]sx?|go|rs|java|kt|rb|php|cs|c|cc|cpp|h|hpp|swift|md|rst|jsonl?|ya?ml|toml|ini|cfg|conf|txt|sh|bash|html?|s?css|sql|lock|mod|sum|log|csv|xml|svg|ipynb|proto|gradle|env|vue|svelte|tf|lua|dart|scala|ex|exs)$/i;
/** At the beginning of a line. The receiver of a method is a name and a type: other text is not taken over. */
const definition =
  /^[ \t]{0,80}(?:\d{1,9}[ \t]{0,8}[\t→:|-][ \t]{0,80})?((?:(?:export|default|public|private|protected|internal|static|async|abstract|declare|pub(?:\(\w+\))?|final|override|unsafe|inline)[ \t]+)*(?:class|interface|function\*?|def|func|fn|struct|enum|type|trait|impl|module|namespace|const|let|var)[ \t]+(?:\(\w{1,40} \*?[\w.]{1,60}(?:\[[\w, ]{1,20}\])?\)[ \t]*)?[A-Za-z_$][\w$]*|(?:(?:public|private|protected|static|async|override)[ \t]+)+[A-Za-z_$][\w$]*)/;

/** Returns the names in an event, each once, in the order of its text. An event is read once. */
export const namesOf: (event: Event) => Names = (event) => read(event, undefined);

const read = /* @__PURE__ */ remembered((event: Event, _: undefined): Names => {
  const text = textOfEvent(event).slice(0, mostRead);
  const paths = new Set<string>();
  const symbols = new Set<string>();
  for (const found of new Set(text.match(run))) {
    if (prose.test(found)) continue;
    const word = trimmed(found);
    if (word.length < shortest || word.length > longest) continue;
    if (isPath(word)) paths.add(word);
    else for (const part of word.split(/[./:#]+/)) if (isSymbol(part)) symbols.add(part);
  }
  const definitions = new Set<string>();
  if (event.type === 'observation') {
    for (const line of text.split('\n')) {
      const [, found = ''] = definition.exec(line.slice(0, mostOfLine)) ?? [];
      if (found.length >= shortestSymbol && found.length <= longest) definitions.add(found);
    }
  }
  return { paths: [...paths], definitions: [...definitions], symbols: [...symbols] };
});

/** The text that a search prints after the path of a file: `:12:export`, `-12-import`. */
const besidePath = /(?::|-\d{1,9}(?:-|$)).*$/;

/** Returns a run without the punctuation around it, and without what a search prints behind a path. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && !begins.test(text[start] as string)) start++;
  while (end > start && !ends.test(text[end - 1] as string)) end--;
  if (end - start > longest + 24) return '';
  const word = text.slice(start, end);
  const path = word.replace(besidePath, '');
  return fileEnding.test(path) ? path : word.replace(/(?::\d{1,9}){1,2}$/, '');
}

/** Returns true for a path of several folders, a file with an ending, and an address. */
function isPath(word: string): boolean {
  if (!/[A-Za-z]/.test(word)) return false;
  if (/^https?:\/\/[^/]+\/./.test(word)) return true;
  return word.length >= shortest && (fileEnding.test(word) || word.split('/').filter((part) => part !== '').length > 2);
}

/** Returns true for an identifier with a part of its own: an underscore inside, a change of case, a digit. */
function isSymbol(word: string): boolean {
  return (
    word.length >= shortestSymbol &&
    /[A-Za-z]/.test(word) &&
    (/[^_]_[^_]/.test(word) || /[a-z][A-Z]/.test(word) || /\d/.test(word))
  );
}
