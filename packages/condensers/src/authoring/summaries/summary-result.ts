import type { ModelAccount } from '../model/model-failure.js';

/** A summary with its usage and cost. */
export interface SummaryResult extends ModelAccount {
  readonly text: string;
  /** True if it was asked for behind the agent's conversation. @defaultValue false */
  readonly isExtension?: boolean | undefined;
}
