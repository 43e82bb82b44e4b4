import { NoCondensationAvailableError } from '@palimpsest/view';
import type { View } from '@palimpsest/view';

/** What takes less is not done, unless somebody asks. Unit: share of the view's events or tokens. */
export const usualProgress = 0.1;

/** What would go. */
export interface Gone {
  /** Unit: events. */
  readonly events: number;
  /** Unit: tokens. */
  readonly tokens: number;
}

type Sizes = Pick<View, 'tokens'> & { readonly events: { readonly length: number } };

/** Whether enough goes: a share of the events, or of the tokens, since one long result can be most of a view. */
export function isProgress(view: Sizes, gone: Gone, least = usualProgress): boolean {
  return gone.events >= view.events.length * least || gone.tokens >= view.tokens() * least;
}

/** @throws {@link NoCondensationAvailableError} when too little would go and nobody asked: what is pinned may be most of a range. */
export function assertProgress(view: View, gone: Gone): void {
  if (view.unhandledCondensationRequest || isProgress(view, gone)) return;
  throw new NoCondensationAvailableError(
    `only ${gone.events} of ${view.events.length} events and ${gone.tokens} of ${view.tokens()} tokens would go`,
  );
}
