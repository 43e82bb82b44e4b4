/** A range of invocations, both ends included. Unit: indices in the list of invocations. */
export interface InvocationRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Selects the invocations of the next window. Until `interval` completed ones are new, nothing is selected; then the range from
 * the first new one, minus `overlap`, to the last new one. After a failed window, more than `interval` may be new.
 *
 * @param completed The completed invocations, oldest first. An invocation is new if it holds an event that no summary covers.
 * @see `_run_compaction_for_sliding_window` of Google's Agent Development Kit for Python for the arithmetic
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
