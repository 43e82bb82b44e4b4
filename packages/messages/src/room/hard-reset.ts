import { addressOf, describeHostFile, hostFilesOf, isToolResult } from '@palimpsest/events';
import type { Condensation, LLMConvertibleEvent } from '@palimpsest/events';
import {
  condensation,
  keptEventIds,
  newestStep,
  NoCondensationAvailableError,
  withoutProperties,
} from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { cutResults } from './large-results.js';
import type { Cut } from './large-results.js';

const metadata = { condenser: 'messages', reason: 'hard-reset' } as const;
const summary =
  'Earlier steps of this work were dropped, because the history did not fit into the window. Look at the present state of ' +
  'things before you go on.';

/** Returns the words for a masked result, and its address for the model. */
function maskOf(event: LLMConvertibleEvent): string {
  const files = hostFilesOf(event).map(describeHostFile);
  const what = files.length === 0 ? '' : ` with ${files.join('; ')}`;
  return `This result${what} (address ${addressOf(event.id)}) was too large to be shown. Ask for a smaller part of it.`;
}

/** A result that takes more of the target is cut before a step is dropped. */
const largeShare = 1 / 4;

/**
 * Makes room when the condenser has not: cuts the largest results in the middle, forgets the oldest steps until the rest fits into `target`,
 * and masks results where that does not suffice, the largest first. Undefined if nothing makes the view smaller.
 *
 * @param target - unit: tokens, as the view estimates
 */
export function hardReset(
  view: View,
  target: number,
  { canRecall }: { readonly canRecall: boolean },
): Condensation | undefined {
  const size = view.tokens();
  const cuts = cutResults(view, {
    least: target * largeShare,
    room: target,
    canRecall,
    isNeeded: (saved) => size - saved > target,
  });
  // What is protected stays, and counts.
  const stays = keptEventIds(view);
  const kept = [...view.events].flatMap((event, index) =>
    stays.has(event.id) ? [{ index, size: view.tokensOf(event) }] : [],
  );
  const left = (from: number): number =>
    view.tokens(from) +
    kept.reduce((sum, { index, size }) => sum + (index < from ? size : 0), 0) -
    cuts.reduce((sum, { index, saved }) => sum + (index < from ? 0 : saved), 0);
  const newest = newestStep(view).start;
  const end =
    left(0) <= target ? 0 : ([...view.cutPoints].find((cut) => cut >= newest || left(cut) <= target) ?? newest);
  const masked = masks(view, end, { tooMuch: left(end) - target, cuts });
  const others = cuts.filter(({ redaction }) => !masked.some(({ eventId }) => eventId === redaction.eventId));
  const redactions = [...others.map(({ redaction }) => redaction), ...masked];
  const range = end === 0 ? {} : { start: 0, end, summary };
  try {
    return condensation({ view: withoutProperties(view), ...range, redactions, metadata });
  } catch (error) {
    if (NoCondensationAvailableError.isInstance(error)) return undefined;
    throw error;
  }
}

/** Masks that take so much out of the events from an index on, also of what is cut already. */
function masks(
  view: View,
  from: number,
  { tooMuch, cuts }: { readonly tooMuch: number; readonly cuts: readonly Cut[] },
) {
  const kept = keptEventIds(view);
  const sizeOf = (event: LLMConvertibleEvent): number =>
    view.tokensOf(event) - (cuts.find(({ redaction }) => redaction.eventId === event.id)?.saved ?? 0);
  let left = tooMuch;
  return [...view.events.slice(from)]
    .filter((event) => isToolResult(event) && !kept.has(event.id) && sizeOf(event) > 100)
    .sort((one, other) => sizeOf(other) - sizeOf(one))
    .flatMap((event) => {
      if (left <= 0) return [];
      left -= sizeOf(event);
      return [{ eventId: event.id, text: maskOf(event) }];
    });
}
