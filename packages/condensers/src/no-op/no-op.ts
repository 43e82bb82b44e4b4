import type { Condenser } from '@palimpsest/view';

/**
 * The condenser that does nothing: it returns the view that it is given. It does not handle requests, so a model call that
 * overflows ends the run. Bound: none.
 */
export function noOpCondenser(): Condenser {
  return { name: 'noOp', condense: (view) => view };
}
