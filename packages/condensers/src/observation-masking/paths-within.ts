import type { ActionEvent, ToolResultEvent } from '@palimpsest/events';
import { namesOf } from '../authoring/calls/names.js';

/** The most that the paths in a note take of what it hides. Unit: share of the characters. */
const shareOfPaths = 0.15;
/** Paths are shorter words than prose: a token of them has about three characters. */
const charactersPerToken = 3;

/** Paths of a hidden text, and how many others it names. */
export interface NamedPaths {
  /** Word for word as in the text. */
  readonly paths: readonly string[];
  readonly otherPaths: number;
}

/**
 * The paths that stand in a text of an event and not in what is shown of it, in order, as far as they fit: they take at most 15 % of
 * the text.
 *
 * @param shown - What is shown beside the paths.
 */
export function pathsWithin(
  event: ActionEvent | ToolResultEvent,
  { text, shown, maxPathTokens }: { readonly text: string; readonly shown: string; readonly maxPathTokens: number },
): NamedPaths {
  const space = Math.min(text.length * shareOfPaths, maxPathTokens * charactersPerToken);
  if (space <= 0) return { paths: [], otherPaths: 0 };
  return fitting(
    namesOf(event).paths.filter((path) => text.includes(path) && !shown.includes(path)),
    space,
  );
}

/** The paths that fit into a space with what stands between them. Unit of the space: characters. */
export function fitting(all: readonly string[], space: number): NamedPaths {
  const paths: string[] = [];
  let left = space;
  for (const path of all) {
    const characters = path.length + 2;
    if (characters > left) continue;
    paths.push(path);
    left -= characters;
  }
  return { paths, otherPaths: all.length - paths.length };
}
