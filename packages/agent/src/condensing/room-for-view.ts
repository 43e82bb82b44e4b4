import type { LLMConvertibleEvent } from '@palimpsest/events';
import type { ContextWindowExceededError } from '@palimpsest/llm-adapters';
import { protectedEventIds } from '@palimpsest/view';
import type { View } from '@palimpsest/view';

/** A request that did not fit, as far as it tells how much room the view had. */
export interface RefusedRequest {
  readonly overflow: ContextWindowExceededError;
  /** The view that was sent. */
  readonly view: View;
  /** The window that the agent's model declares. Unit: tokens. */
  readonly contextWindow: number | undefined;
  /** Unit: tokens. */
  readonly maxOutputTokens: number | undefined;
  /** The size of what is sent beside the view. Unit: tokens, as the view estimates. */
  readonly fixedTokens: number;
}

/** Reserved for the answer when `maxOutputTokens` is not set: a share of the window, and at most so many tokens. */
const answerShare = 1 / 8;
const longestAnswer = 4_096;
/** The bounds of the calibration. Unit: the provider's tokens for each estimated one. */
const calibrations = { least: 0.25, most: 8 } as const;

/**
 * The part of the window that is left for the view, by the provider's figures and the agent's; the smaller one if they
 * differ. Undefined when the window is not known, or the request had too many bytes. Unit: tokens, as the view estimates.
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

/** A run is not ended for less, because estimates can be off by so much. Unit: times the room. */
const margin = 1.25;

/** The size of the protected events, and the room for them, when they certainly do not fit. */
export interface ProtectedOverflow {
  /** Unit: tokens, as the view estimates. */
  readonly protectedTokens: number;
  /** Unit: tokens, as the view estimates. */
  readonly room: number;
}

/** Compares the instructions, the user's words and the pinned events with the room. Undefined when they may fit. */
export function protectedOverflow(view: View, room: number | undefined): ProtectedOverflow | undefined {
  if (room === undefined) return undefined;
  let protectedTokens = 0;
  for (const id of protectedEventIds(view)) {
    const index = view.indexOf(id);
    if (index !== undefined) protectedTokens += view.tokens(index, index + 1);
  }
  return protectedTokens > room * margin ? { protectedTokens, room } : undefined;
}

/** The size of an event when bytes are counted: an image counts with all its data. Unit: tokens. */
export function jsonSize(event: LLMConvertibleEvent): number {
  return Math.ceil(JSON.stringify(event).length / 4);
}
