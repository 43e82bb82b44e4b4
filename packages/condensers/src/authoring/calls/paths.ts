import type { Event } from '@palimpsest/events';
import { textOfEvent } from './excerpt.js';
import { remembered } from './remembered.js';

/** The longest part of an event that is read. Unit: characters. */
const mostRead = 60_000;
const longest = 160;
/** No path is shorter. Unit: characters. */
const shortest = 6;
/** A word of prose is no path. Most runs are such. */
const prose = /^[A-Za-z]?[a-z]*$/;

/**
 * Runs of the characters of names and paths, with the bracket of a call. Their ends are trimmed by hand: a pattern would be quadratic in a
 * line of dots.
 */
const run = /[\w@~./:#-]{6,}\(?/g;
const begins = /[A-Za-z0-9_@~/.]/;
const ends = /[\w/]/;
const fileEnding =
  /\.(?:py|pyi|[cm]?[jt]sx?|go|rs|java|kt|rb|php|cs|c|cc|cpp|h|hpp|swift|md|rst|jsonl?|ya?ml|toml|ini|cfg|conf|txt|sh|bash|html?|s?css|sql|lock|mod|sum|log|csv|xml|svg|ipynb|proto|gradle|env|vue|svelte|tf|lua|dart|scala|ex|exs)$/i;
/** Names of code with a file's ending: methods (`repo.Log`), and members of what every program has. */
const member = /\.[A-Z][a-z]+$|^(?:console|import\.meta|[Mm]ath|np|process|self|this)\./;
/** Words with slashes between them (`created/modified/deleted`). */
const alternatives = /^[A-Za-z-]+(?:\/[A-Za-z-]+)+$/;
/** What a diff puts before a path. */
const diffPrefix = /^[ab]\//;

/** Returns the paths, file names and addresses in an event, each once, in the order of its text. An event is read once. */
export const pathsOf: (event: Event) => readonly string[] = (event) => read(event, undefined);

const read = /* @__PURE__ */ remembered((event: Event, _: undefined): readonly string[] => {
  const text = textOfEvent(event).slice(0, mostRead);
  const paths = new Set<string>();
  for (const found of new Set(text.match(run))) {
    if (prose.test(found) || (found.endsWith('(') && !found.includes('/'))) continue;
    const word = trimmed(found);
    if (word.length >= shortest && word.length <= longest && isPath(word)) paths.add(word);
  }
  return [...paths];
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
  const path = word.replace(besidePath, '').replace(diffPrefix, '');
  return fileEnding.test(path) ? path : word.replace(/(?::\d{1,9}){1,2}$/, '');
}

/** Returns true for a path of several folders, a file with an ending, and an address. */
function isPath(word: string): boolean {
  if (!/[A-Za-z]/.test(word)) return false;
  if (/^https?:\/\/[^/]+\/./.test(word)) return true;
  if (word.length < shortest) return false;
  if (fileEnding.test(word)) return word.includes('/') || !(member.test(word) || /^\.[a-z]+$/.test(word));
  return word.split('/').filter((part) => part !== '').length > 2 && !alternatives.test(word);
}
