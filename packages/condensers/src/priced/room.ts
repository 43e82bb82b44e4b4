import type { Condensation } from '@palimpsest/events';
import type { CondenseContext, View } from '@palimpsest/view';
import { requirementOf } from '../authoring/rolling/requirement.js';
import { isStatedUnavailable, sizeNow } from '../authoring/rolling/rolling-condenser.js';

/** What the model's window leaves for a view, and what asks for a condensation whatever it costs. */
export interface Room {
  readonly isRequested: boolean;
  /** True if the view does not fit. */
  readonly isExceeded: boolean;
  /** Unit: tokens, as the view estimates. `Infinity` if the window is not known. */
  readonly tokens: number;
}

export function roomOf(view: View, context: CondenseContext): Room {
  const { reasons, tokenBudget = Infinity } = requirementOf(view, context, { maxSize: Infinity });
  return { isRequested: reasons.includes('request'), isExceeded: reasons.includes('tokens'), tokens: tokenBudget };
}

/** Why a condensation is made whatever it costs. Undefined if it is not. */
export function urgencyOf(room: Room, tokensAfter: number, waits: boolean): 'request' | 'tokens' | undefined {
  if (room.isRequested) return 'request';
  return room.isExceeded && (tokensAfter <= room.tokens || !waits) ? 'tokens' : undefined;
}

/** The longest wait. Unit: model calls. */
const longestWait = 32;

/**
 * Whether a condensation that leaves the view too large for the window is not worth trying now. Where what is sent beside the view,
 * or what always stays, does not leave enough room, condensing at each step would write the prompt cache anew and make no room. So
 * after one condensation that has left the view too large the next waits for 2 model calls, after two in a row for 4, and so on to 32.
 * One that makes the view fit never waits. The log states what each has left.
 *
 * @param calls - the number of model calls since the last condensation
 */
export function isWaitingForRoom({ condensations }: View, calls: number): boolean {
  const fitting = condensations.findLastIndex((condensation) => !isTooLargeAfter(condensation));
  const inARow = condensations.length - 1 - fitting;
  return inARow > 0 && calls < Math.min(longestWait, 2 ** inARow);
}

function isTooLargeAfter({ metadata }: Condensation): boolean {
  return typeof metadata?.['roomTokens'] === 'number';
}

/** What a condensation states if it leaves the view larger than the room: how much there was. Unit: tokens. */
export function statementOf({ tokens }: Room, tokensAfter: number): { readonly roomTokens?: number } {
  return tokensAfter > tokens ? { roomTokens: Math.floor(tokens) } : {};
}

/** Reports that a view does not fit and nothing can be done about it, once. */
export function reportNoRoom(view: View, { tokens }: Room, context: CondenseContext): void {
  if (view.condensations.slice(-2).filter(isTooLargeAfter).length > 1 || isStatedUnavailable(view, 'priced')) return;
  const [size, left] = [view.tokens(), tokens].map(Math.floor);
  context.report?.({
    outcome: 'unavailable',
    reason: `the view has ${size} tokens, the window leaves ${left}, and no stage can make it fit: what is sent beside the view, or what always stays, is too large`,
    data: { condenser: 'priced', events: sizeNow(view), tokens: size, tokenBudget: left },
  });
}
