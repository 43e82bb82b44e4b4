import type { Comparison } from '../compare/comparison.js';

/** The data of the page of a comparison. */
export interface ComparisonData {
  /** The version of the harness. */
  readonly harness: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly comparison: Comparison;
}
