/** Invocations from one to another, both with it. Unit: indices in the list of invocations. */
export interface InvocationRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Selects the invocations of the next window: nothing until `interval` completed ones are new; then from the first new one,
 * less `overlap`, to the last new one. More than `interval` may be new, after a window that failed.
 *
 * @param completed The completed invocations, oldest first. New is one that holds something that no summary speaks of.
 * @see `_run_compaction_for_sliding_window` of Google's Agent Development Kit for Python, of which this is the arithmetic
 */
export function selectInvocations(
  completed: readonly { readonly isNew: boolean }[],
  { interval, overlap }: { readonly interval: number; readonly overlap: number },
): InvocationRange | undefined {
  const fresh = completed.flatMap(({ isNew }, index) => (isNew ? [index] : []));
  const [first] = fresh;
  const last = fresh.at(-1);
  if (first === undefined || last === undefined || fresh.length < interval) return undefined;
  return { first: Math.max(0, first - overlap), last };
}
