/**
 * The indices at which the stored list may be cut without breaking a provider's rules, in ascending order. Index `i` is the cut
 * before the event at `i`; the list's length is the cut after the last event.
 */
export interface CutPoints extends Iterable<number> {
  has(index: number): boolean;
  /** The smallest cut point that is not smaller than the index. */
  atOrAfter(index: number): number | undefined;
  /** The greatest cut point that is not greater than the index. */
  atOrBefore(index: number): number | undefined;
}
