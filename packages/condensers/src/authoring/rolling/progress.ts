import { NoCondensationAvailableError } from '@palimpsest/view';
import type { View } from '@palimpsest/view';

/** A condensation that removes less is only made on request. Unit: share of the view's events or tokens. */
export const usualProgress = 0.1;

/** The amount that a condensation removes. */
export interface Gone {
  /** Unit: events. */
  readonly events: number;
  /** Unit: tokens. */
  readonly tokens: number;
}

type Sizes = Pick<View, 'tokens'> & { readonly events: { readonly length: number } };

/**
 * Whether a condensation removes enough: a share of the events, or of the tokens, since one long result can be most of a view.
 */
export function isProgress(view: Sizes, gone: Gone, least = usualProgress): boolean {
  return gone.events >= view.events.length * least || gone.tokens >= view.tokens() * least;
}

/**
 * @throws {@link NoCondensationAvailableError} when too little would be removed without a request: pinned events may be most of a
 *   range.
 */
export function assertProgress(view: View, gone: Gone): void {
  if (view.unhandledCondensationRequest || isProgress(view, gone)) return;
  throw new NoCondensationAvailableError(
    `only ${gone.events} of ${view.events.length} events and ${gone.tokens} of ${view.tokens()} tokens would go`,
  );
}
