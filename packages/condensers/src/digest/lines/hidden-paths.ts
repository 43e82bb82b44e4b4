import { estimateTextTokens } from '@palimpsest/events';
import { pathsOf } from '../../authoring/calls/paths.js';
import type { LoggedEvent } from './log-of-view.js';

/**
 * Lists the paths of hidden events that stand nowhere in what the model reads, the newest first. Of the spellings of a file one is listed:
 * a path that ends a longer one which is shown or listed is left out.
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
  const listed: string[] = [];
  let left = maxTokens;
  for (let index = events.length - 1; index >= 0 && left >= leastLeft; index--) {
    const { event, shown } = events[index] as LoggedEvent;
    if (event === shown) continue;
    for (const path of pathsOf(event)) {
      if (known.has(path.replace(/^\.?\//, '')) || known.has(path) || text.includes(path)) continue;
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
