import type { Comparison } from '../compare/comparison.js';

/** What the page of a comparison shows. */
export interface ComparisonData {
  /** The version of the harness. */
  readonly harness: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly comparison: Comparison;
}
