import type { Condenser } from '@palimpsest/view';
import { defineCondenser } from '../authoring/definition/define-condenser.js';
import { InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { optionsOf } from '../authoring/definition/option-schemas.js';
import { assertOptionsObject } from '../authoring/definition/options.js';

/**
 * Returns a condenser that returns its view unchanged. It does not handle requests, so a model call that overflows
 * ends the run. Bound: none.
 *
 * @throws {@link InvalidCondenserConfigError} when an option is given: there are none.
 */
export function noOpCondenser(options: Readonly<Record<string, never>> = {}): Condenser {
  assertOptionsObject('noOp', options);
  const [option] = Object.keys(options);
  if (option !== undefined)
    throw new InvalidCondenserConfigError({ condenser: 'noOp', option, reason: 'is not an option. There are none.' });
  return { name: 'noOp', condense: (view) => view };
}

/** The definition of {@link noOpCondenser}. */
export const noOp = /* @__PURE__ */ defineCondenser({
  name: 'noOp',
  summary: 'does nothing',
  options: /* @__PURE__ */ optionsOf(() => ({})),
  create: () => noOpCondenser(),
});
