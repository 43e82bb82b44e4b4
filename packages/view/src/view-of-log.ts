import type { View } from './view.js';

/** Where a view made by `replace` or `without` keeps the view of the log that it comes from; the same in every copy of the package. */
export const viewOfLogKey: unique symbol = Symbol.for('@palimpsest/view/view-of-log');

/**
 * The view of the log that a view was made from by `replace` and `without`; a view that was not made so is its own. For a
 * decision that must not depend on what other condensers of a pipeline hide or mask, such as how much has come since the last
 * try. To condense a derived view nobody needs it: {@link condensation} and {@link unitsOf} look there themselves.
 */
export function viewOfLog(view: View): View {
  return (view as { readonly [viewOfLogKey]?: View })[viewOfLogKey] ?? view;
}
