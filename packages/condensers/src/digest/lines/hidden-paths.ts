import { estimateTextTokens } from '@palimpsest/events';
import { pathsOf } from '../../authoring/calls/paths.js';
import type { LoggedEvent } from './log-of-view.js';

/**
 * Lists the paths of hidden events that stand nowhere in what the model reads, the newest first. Of the spellings of a file one is listed:
 * a path that ends a longer one which is shown or listed is left out, and a longer one takes the place of a listed one of two folders or more.
 *
 * @param text - what the model reads besides the events
 * @param maxTokens - what the list may take. Unit: estimated tokens
 */
export function hiddenPaths(events: readonly LoggedEvent[], text: string, maxTokens: number): readonly string[] {
  const known = new Set<string>();
  const know = (path: string): void => {
    known.add(path);
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
      known.add(path.slice(slash + 1));
  };
  for (const { shown } of events) if (shown !== undefined) pathsOf(shown).forEach(know);
  const listed = new Set<string>();
  let left = maxTokens;
  for (let index = events.length - 1; index >= 0 && left >= leastLeft; index--) {
    const { event, shown } = events[index] as LoggedEvent;
    if (event === shown) continue;
    for (const path of pathsOf(event)) {
      const plain = path.replace(/^\.?\//, '');
      if (known.has(plain) || known.has(path) || text.includes(plain)) continue;
      know(path);
      const shorter = endIn(listed, plain);
      const tokens = tokensOf(path) - (shorter === undefined ? 0 : tokensOf(shorter));
      if (tokens > left) continue;
      left -= tokens;
      if (shorter !== undefined) listed.delete(shorter);
      listed.add(path);
    }
  }
  return [...listed];
}

function tokensOf(path: string): number {
  return estimateTextTokens(path) + 1;
}

/** No path is shorter. Unit: tokens. */
const leastLeft = 3;

/** Shorter ends are those of many files: `src/index.ts`. Unit: folders. */
const foldersOfEnd = 2;

/** Returns the listed path of two folders or more with which a longer one ends. */
function endIn(listed: ReadonlySet<string>, path: string): string | undefined {
  const parts = path.split('/');
  for (let begin = 1; begin < parts.length - foldersOfEnd; begin++) {
    const end = parts.slice(begin).join('/');
    if (listed.has(end)) return end;
  }
  return undefined;
}
