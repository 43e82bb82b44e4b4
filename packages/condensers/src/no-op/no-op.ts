import type { Condenser } from '@palimpsest/view';
import { defineCondenser } from '../authoring/define-condenser.js';
import { optionsOf } from '../authoring/options/option-schemas.js';

/**
 * The condenser that does nothing: it returns the view that it is given. It does not handle requests, so a model call that
 * overflows ends the run. Bound: none.
 */
export function noOpCondenser(): Condenser {
  return { name: 'noOp', condense: (view) => view };
}

/** The definition of {@link noOpCondenser}. */
export const noOp = /* @__PURE__ */ defineCondenser({
  name: 'noOp',
  summary: 'does nothing',
  options: /* @__PURE__ */ optionsOf(() => ({})),
  create: noOpCondenser,
});
