import type { CondenseContext } from '@palimpsest/view';

/** What a condenser knows where plain JavaScript gives it no context: no window, and nobody to report to. */
export const noContext: CondenseContext = Object.freeze({});
