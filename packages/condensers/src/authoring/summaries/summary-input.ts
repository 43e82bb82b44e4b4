import type { LLMConvertibleEvent } from '@palimpsest/events';

/** The input of a summary. */
export interface SummaryInput {
  /** The events that will be forgotten, in order, without earlier summaries. */
  readonly events: readonly LLMConvertibleEvent[];
  /** The full text of the summary that this one replaces. @defaultValue there is none */
  readonly previousSummary?: string | undefined;
  /** The user's messages that stay in the history, which show the summariser what matters. @defaultValue none */
  readonly userWords?: readonly string[] | undefined;
  /** The maximum length of the summary. Unit: tokens. */
  readonly maxSummaryTokens: number;
  /** The share of the model's readable input that it receives: less at each retry. Above 0. @defaultValue 1 */
  readonly inputScale?: number | undefined;
}
