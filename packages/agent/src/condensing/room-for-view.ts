import type { LLMConvertibleEvent } from '@palimpsest/events';
import type { ContextWindowExceededError } from '@palimpsest/llm-adapters';
import { protectedEventIds } from '@palimpsest/view';
import type { View } from '@palimpsest/view';

/** What a refused request says of the room that its view had. */
export interface RefusedRequest {
  readonly overflow: ContextWindowExceededError;
  /** What was sent. */
  readonly view: View;
  /** The window that the agent knows of. Unit: tokens. */
  readonly contextWindow: number | undefined;
  /** Unit: tokens. */
  readonly maxOutputTokens: number | undefined;
  /** What is sent beside the view. Unit: tokens, as the view estimates. */
  readonly fixedTokens: number;
}

/** What is left for an answer where nobody has said how long it may be: a share of the window, and not more than so many tokens. */
const answerShare = 1 / 8;
const longestAnswer = 4_096;
/** An estimate is no further off than this. Unit: the provider's tokens for each of ours. */
const calibrations = { least: 0.25, most: 8 } as const;

/**
 * What of the window is left for the view, by what the provider said and what the agent knows; the smaller one, where they
 * differ. Undefined where nobody knows the window, or where bytes were too many. Unit: tokens, as the view estimates.
 */
export function roomForView(request: RefusedRequest): number | undefined {
  const { overflow, view, maxOutputTokens, fixedTokens } = request;
  const window = Math.min(overflow.contextWindow ?? Infinity, request.contextWindow ?? Infinity);
  if (window === Infinity || overflow.kind === 'bytes') return undefined;
  const answer = maxOutputTokens ?? Math.min(longestAnswer, window * answerShare);
  const estimated = view.tokens() + fixedTokens;
  const counted = overflow.inputTokens ?? estimated;
  const calibration = Math.min(calibrations.most, Math.max(calibrations.least, counted / Math.max(1, estimated)));
  return Math.max(1, Math.floor(Math.max(1, window - answer) / calibration) - fixedTokens);
}

/** Estimates are off by so much, and a run is not ended for that. Unit: times the room. */
const margin = 1.25;

/** What a view may not lose, and the room for it, where it certainly does not fit. */
export interface TooMuchProtected {
  /** Unit: tokens, as the view estimates. */
  readonly protectedTokens: number;
  /** Unit: tokens, as the view estimates. */
  readonly room: number;
}

/** Whether the instructions, the words of the user and the pins alone are more than fits; undefined where they are not. */
export function tooMuchProtected(view: View, room: number | undefined): TooMuchProtected | undefined {
  if (room === undefined) return undefined;
  let protectedTokens = 0;
  for (const id of protectedEventIds(view)) {
    const index = view.indexOf(id);
    if (index !== undefined) protectedTokens += view.tokens(index, index + 1);
  }
  return protectedTokens > room * margin ? { protectedTokens, room } : undefined;
}

/** The size of an event where bytes are counted, and an image is as large as its data. Unit: tokens. */
export function jsonSize(event: LLMConvertibleEvent): number {
  return Math.ceil(JSON.stringify(event).length / 4);
}
