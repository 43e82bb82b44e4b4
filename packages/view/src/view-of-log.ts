import type { View } from './view.js';

/** The key under which a view made by `replace` or `without` stores the log's view. The same in every copy of the package. */
export const viewOfLogKey: unique symbol = Symbol.for('@palimpsest/view/view-of-log');

/**
 * The log's view from which a view was made by `replace` and `without`; any other view is returned unchanged. Use it for
 * decisions that must not depend on what other condensers of a pipeline hide or mask, such as the number of events since the
 * last attempt. Condensing a derived view does not need it: {@link condensation} and {@link unitsOf} call it themselves.
 */
export function viewOfLog(view: View): View {
  return (view as { readonly [viewOfLogKey]?: View })[viewOfLogKey] ?? view;
}
