import { estimateTextTokens } from '@palimpsest/events';
import type { LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { pause } from '../ahead.js';
import { excerptsEnd, excerptsHeading, excerptsStart, pathsHeading } from './digest.prompt.js';
import { excerptsOf } from './excerpts.js';
import { hiddenLines } from './hidden-lines.js';
import type { HiddenLine } from './hidden-lines.js';
import { hiddenPaths } from './hidden-paths.js';
import { loggedEvents } from './log-of-view.js';

/** The part of a digest that paths may take. */
const shareOfPaths = 0.2;
/** A digest with less room says nothing. Unit: tokens. */
const leastTokens = 100;

/**
 * Returns what a model may need of the events that it no longer reads: paths, then lines of results and edits, of all that is hidden, read
 * from the log. Empty where the room is too small. Others work in its pauses.
 *
 * @param going - the events that are forgotten now
 * @param text - what stands before the digest in the same summary
 * @param room.maxTokens - what it may take. Unit: tokens, as {@link estimateTextTokens} counts
 * @param room.focus - what the user wants to be kept: the lines that hold a word of it come first
 */
export async function digestOf(
  view: View,
  going: readonly LLMConvertibleEvent[],
  text: string,
  { maxTokens, focus }: { readonly maxTokens: number; readonly focus: string | undefined },
  signal?: AbortSignal,
): Promise<readonly string[]> {
  if (maxTokens < leastTokens) return [];
  await pause(signal);
  const events = loggedEvents(view, going);
  const gone = new Set(going);
  const others = view.events.flatMap((event) =>
    event.type === 'condensation-summary' && !gone.has(event) ? [event.summary] : [],
  );
  const paths = hiddenPaths(events, [text, ...others].join('\n\n'), maxTokens * shareOfPaths);
  const listed = paths.length === 0 ? [] : [[pathsHeading, ...paths].join('\n')];
  const before = [text, ...others, ...listed].join('\n\n');
  const frame = [excerptsHeading, excerptsStart, excerptsEnd].join('\n');
  const room = maxTokens - estimateTextTokens(listed.join('')) - estimateTextTokens(frame);
  const lines = focusedFirst(hiddenLines(view, events, before), focus);
  await pause(signal);
  const excerpts = excerptsWithin(lines, room);
  if (excerpts.length === 0) return listed;
  return [...listed, [excerptsHeading, excerptsStart, ...excerpts, excerptsEnd].join('\n')];
}

/** A shorter word stands in any line. Unit: characters. */
const shortestFocusWord = 3;

/** Returns lines with those first that hold most words of the focus, themselves or in the path of their file. */
function focusedFirst(lines: Iterable<HiddenLine>, focus: string | undefined): Iterable<HiddenLine> {
  const words = (focus?.toLowerCase().match(/[\p{L}\p{N}_.-]+/gu) ?? []).filter(
    (word) => word.length >= shortestFocusWord,
  );
  if (words.length === 0) return lines;
  const count = ({ source: { lines: all, path = '' }, index }: HiddenLine): number => {
    const text = `${path}\n${all[index]?.text ?? ''}`.toLowerCase();
    return words.filter((word) => text.includes(word)).length;
  };
  return Array.from(lines, (line) => ({ line, count: count(line) }))
    .sort((a, b) => b.count - a.count)
    .map(({ line }) => line);
}

const mostAttempts = 4;
/** What the excerpts may take besides their room. Unit: share. */
const tolerance = 0.1;

/** Short lines and marks between the chosen lines take room too: then fewer are chosen. */
function excerptsWithin(lines: Iterable<HiddenLine>, room: number): readonly string[] {
  let excerpts: readonly string[] = [];
  for (let attempt = 0, chosen = room; attempt < mostAttempts && chosen > 0; attempt++) {
    excerpts = excerptsOf(lines, chosen);
    const over = estimateTextTokens(excerpts.join('\n')) - room;
    if (over <= room * tolerance) return excerpts;
    chosen *= room / (room + over);
  }
  return excerpts;
}
