import type { LLMConvertibleEvent } from '@palimpsest/events';
import type { AgentRequest } from '@palimpsest/view';

/** The agent's own conversation, behind which a summary can be asked for. */
export interface AgentConversation {
  readonly request: AgentRequest;
  /** The size of the request. Unit: tokens, as the provider counts, as far as is known. */
  readonly tokens: number;
  /** The first words that stay behind what the summary replaces. @defaultValue none: it replaces all */
  readonly keptFrom?: string | undefined;
}

/** The input of a summary. */
export interface SummaryInput {
  /** The events that will be forgotten, in order, without earlier summaries. */
  readonly events: readonly LLMConvertibleEvent[];
  /** The full text of the summary that this one replaces. @defaultValue there is none */
  readonly previousSummary?: string | undefined;
  /** The user's messages that stay in the history, which show the summariser what matters. @defaultValue none */
  readonly userWords?: readonly string[] | undefined;
  /** What the summary must name, each in one line, as exact as the log. @defaultValue none */
  readonly facts?: readonly string[] | undefined;
  /** What the user wants the summary to keep in view, in their own words. @defaultValue they said nothing */
  readonly focus?: string | undefined;
  /**
   * The conversation that holds the events. A summariser of the same model asks behind it, so that its input is read from the
   * prompt cache. @defaultValue none: it reads `events`
   */
  readonly conversation?: AgentConversation | undefined;
  /** The maximum length of the summary. Unit: tokens. */
  readonly maxSummaryTokens: number;
  /** The share of the model's readable input that it receives: less at each retry. Above 0. @defaultValue 1 */
  readonly inputScale?: number | undefined;
}
