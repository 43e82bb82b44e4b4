import { newestStep } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { rangeContent } from '../rolling/range-content.js';
import type { RangeContent } from '../rolling/range-content.js';
import { isProgress } from '../rolling/progress.js';
import type { Requirement } from '../rolling/requirement.js';
import { firstSummary, selectMiddle, strictestTail } from '../rolling/select-middle.js';
import type { Selection } from '../rolling/select-middle.js';

/**
 * The range between the first events and the newest that may stay, without the newest step. A summary among the first events is
 * part of the range: it is replaced like any other, so that there is only one.
 */
export function middleOf(
  view: View,
  requirement: Requirement,
  limits: { readonly maxSize: number; readonly keepFirst: number },
): Selection | undefined {
  const { events, cutPoints } = view;
  const keepFirst = firstSummary(events, limits.keepFirst);
  const tail = strictestTail({
    requirement,
    length: events.length,
    maxSize: limits.maxSize,
    keepFirst,
    tokens: (from, to) => view.tokens(from, to),
  });
  const newest = events.length - newestStep(view).cutPoint;
  return selectMiddle({
    length: events.length,
    cutPoints,
    keepFirst,
    tail: tail < 0 ? tail : Math.max(tail, newest),
    minProgress: 0,
  });
}

/**
 * Whether a summary could save enough. Protected and pinned events stay, so a long range may save little. Without this check, a
 * view whose pinned events alone are too large would get a new summary at each step.
 */
export function isWorthACall(
  view: View,
  { forgotten, tokens }: RangeContent,
  { reasons, tokenBudget = Infinity }: Requirement,
  minProgress: number,
): boolean {
  const isStillOver = reasons.includes('tokens') && view.tokens() - tokens > tokenBudget;
  if (isStillOver) return tokens >= view.tokens() * minProgress;
  return reasons.includes('request') || isProgress(view, { events: forgotten.length, tokens }, minProgress);
}

/**
 * The range before the newest step. If nothing in it can be forgotten, the whole view, provided that it was requested or that
 * this is enough. A view that is too large in any case, such as one with too many pinned events, keeps the events that the model
 * has not read yet.
 */
export function everythingOf(view: View, { reasons, tokenBudget = Infinity }: Requirement): Selection | undefined {
  const start = view.cutPoints.atOrAfter(0);
  if (start === undefined) return undefined;
  const older = { start, end: newestStep(view).cutPoint };
  if (rangeContent(view, older) !== undefined) return older;
  const all = { start, end: view.cutPoints.atOrBefore(view.events.length) ?? start };
  const content = rangeContent(view, all);
  if (content === undefined) return undefined;
  return reasons.includes('request') || view.tokens() - content.tokens <= tokenBudget ? all : undefined;
}
