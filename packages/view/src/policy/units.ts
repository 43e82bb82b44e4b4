import { isToolResult } from '@palimpsest/events';
import type { LLMConvertibleEvent } from '@palimpsest/events';
import { viewOfLog } from '../log-view.js';
import type { View } from '../view.js';

/** A part of a view between two cut points: it is kept or forgotten whole. */
export interface Unit {
  readonly start: number;
  /** The index after the last event. */
  readonly end: number;
}

/**
 * Returns the units of a view, in order: each unit lies between two cut points. Events before the first cut point or
 * after the last one belong to no unit. In a view made by `replace` or `without`, the units are those of the log's
 * view. A unit of which the view shows only a part of a batch is left out, because half of a batch cannot be forgotten.
 */
export function unitsOf(view: View): readonly Unit[] {
  const units: Unit[] = [];
  let start: number | undefined;
  for (const cut of view.cutPoints) {
    if (!isStoredCut(view, cut)) continue;
    if (start !== undefined && cut > start && isWhole(view, start, cut)) units.push({ start, end: cut });
    start = cut;
  }
  return units;
}

/** Returns true for a call and for the result of a call. */
export function isPartOfCall(event: LLMConvertibleEvent): boolean {
  return event.type === 'action' || isToolResult(event);
}

/** Returns true if the view of the log may be cut somewhere between the event before an index and the event at it. */
function isStoredCut(view: View, index: number): boolean {
  const stored = viewOfLog(view);
  if (stored === view) return true;
  const [before, after] = [view.events.at(index - 1), view.events.at(index)];
  if (index === 0 || before === undefined || after === undefined) return true;
  const [from, to] = [stored.indexOf(before.id), stored.indexOf(after.id)];
  if (from === undefined || to === undefined) return false;
  return (stored.cutPoints.atOrAfter(from + 1) ?? Infinity) <= to;
}

/** Returns true if the view holds all calls and results that are sent of the units of the log's view around a range. */
function isWhole(view: View, start: number, end: number): boolean {
  const stored = viewOfLog(view);
  if (stored === view) return true;
  const [first, last] = [view.events.at(start), view.events.at(end - 1)];
  const from = stored.cutPoints.atOrBefore((first && stored.indexOf(first.id)) ?? 0) ?? 0;
  const to = stored.cutPoints.atOrAfter(((last && stored.indexOf(last.id)) ?? 0) + 1) ?? stored.events.length;
  for (let index = from; index < to; index++) {
    const event = stored.events.at(index);
    if (event === undefined || !isPartOfCall(event)) continue;
    if (view.indexOf(event.id) === undefined && !stored.leftOut.has(event.id)) return false;
  }
  return true;
}

/** The last step of a view: the model's last events, and the events that the model has not read yet. */
export interface NewestStep {
  /** The index of the step's first event. Events before it may be masked. */
  readonly start: number;
  /** The last cut point at or before `start`. Events before it may be forgotten. */
  readonly cutPoint: number;
  /** True if the event before the step belongs to the same response: the log does not show where the response ends. */
  readonly sharesResponse: boolean;
}

/**
 * Finds the newest step: the last consecutive events of one model response, and all events after them (results, later words). A
 * condenser keeps the newest step, because the model has not answered it yet. Only a last resort condenses it. Going backwards,
 * the step ends at a result or at another author's message, even if earlier events belong to the same response. So the step stays
 * small in a log whose responses all have one id. Without a response the newest step is the last event.
 */
export function newestStep(view: View): NewestStep {
  const { events, cutPoints } = view;
  let start = Math.max(0, events.length - 1);
  let response: string | undefined;
  let found = false;
  let isParted = false;
  let sharesResponse = false;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events.at(index);
    const own = event === undefined ? undefined : view.responseOf(event.id);
    if (own === undefined) {
      isParted = found;
      continue;
    }
    if (found && own !== response) break;
    if (isParted) {
      sharesResponse = true;
      break;
    }
    found = true;
    response = own;
    start = index;
  }
  return { start, cutPoint: cutPoints.atOrBefore(start) ?? 0, sharesResponse };
}
