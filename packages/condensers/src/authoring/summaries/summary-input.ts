import type { LLMConvertibleEvent } from '@palimpsest/events';

/** What a summary is made of. */
export interface SummaryInput {
  /** What will be forgotten, in order. Earlier summaries are not among them. */
  readonly events: readonly LLMConvertibleEvent[];
  /** The summary that this one replaces, whole. @defaultValue there is none */
  readonly previousSummary?: string | undefined;
  /** The user's messages that stay in the history, so that a summary can tell what matters. @defaultValue none */
  readonly userWords?: readonly string[] | undefined;
  /** How long the summary should be at most. Unit: tokens. */
  readonly maxSummaryTokens: number;
  /** How much of what it can read the model is given: less at each further try. A share above 0. @defaultValue 1 */
  readonly inputScale?: number | undefined;
}
