import { estimateTextTokens } from '@palimpsest/events';
import { pathsOf } from '../../authoring/calls/paths.js';
import type { LoggedEvent } from './log-of-view.js';

/**
 * Lists the paths of hidden events that stand nowhere in what the model reads, the newest first. Of the spellings of a file one is listed:
 * a path that ends a longer one which is shown or listed is left out, and one that ends with a shown or listed path in two folders.
 *
 * @param text - what the model reads besides the events
 * @param maxTokens - what the list may take. Unit: estimated tokens
 */
export function hiddenPaths(events: readonly LoggedEvent[], text: string, maxTokens: number): readonly string[] {
  const known = new Set<string>();
  const whole = new Set<string>();
  const know = (path: string): void => {
    known.add(path);
    whole.add(path.replace(/^\.?\//, ''));
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
      known.add(path.slice(slash + 1));
  };
  for (const { shown } of events) if (shown !== undefined) pathsOf(shown).forEach(know);
  const listed: string[] = [];
  let left = maxTokens;
  for (let index = events.length - 1; index >= 0 && left >= leastLeft; index--) {
    const { event, shown } = events[index] as LoggedEvent;
    if (event === shown) continue;
    for (const path of pathsOf(event)) {
      const plain = path.replace(/^\.?\//, '');
      if (known.has(plain) || known.has(path) || text.includes(plain) || endsWithOneOf(whole, plain)) continue;
      know(path);
      const tokens = estimateTextTokens(path) + 1;
      if (tokens > left) continue;
      left -= tokens;
      listed.push(path);
    }
  }
  return listed;
}

/** No path is shorter. Unit: tokens. */
const leastLeft = 3;

/** Shorter ends are those of many files: `src/index.ts`. Unit: folders. */
const foldersOfEnd = 2;

/** Returns true if a path ends with one of others that names two folders or more. */
function endsWithOneOf(others: ReadonlySet<string>, path: string): boolean {
  const parts = path.split('/');
  for (let begin = parts.length - 1 - foldersOfEnd; begin > 0; begin--)
    if (others.has(parts.slice(begin).join('/'))) return true;
  return false;
}
