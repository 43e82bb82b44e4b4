import type { ActionEvent } from '@palimpsest/events';
import type { FinishReason } from '@palimpsest/llm-adapters';
import type { StuckPattern } from '../stuck-detection.js';

const statuses = [
  'idle',
  'running',
  'paused',
  'waiting-for-confirmation',
  'finished',
  'stuck',
  'incomplete',
  'error',
] as const;

/** The state of a conversation between two calls of its methods. */
export type ConversationStatus = (typeof statuses)[number];

/** How a run ended. */
export interface RunOutcome {
  /**
   * `incomplete`: the answer was cut once more after {@link maxContinuations} continuations in a row; a later run goes on with it.
   * `released`: by `Conversation.release`.
   */
  readonly status: 'finished' | 'paused' | 'waiting-for-confirmation' | 'stuck' | 'incomplete' | 'released';
  /** The final answer, when the run finished. */
  readonly answer?: string;
  /**
   * Why the last answer ended, if the model did not end it itself: with the status `incomplete`, and with `finished` where the provider gave
   * a reason that only it knows. Set by the run that got the answer.
   */
  readonly finishReason?: FinishReason;
  /** The actions that wait for `Conversation.confirm` or `Conversation.reject`. */
  readonly waiting?: readonly ActionEvent[];
  /** The pattern that the run repeated, when it is stuck. */
  readonly stuck?: StuckPattern;
  /** Steps that called the model or carried out calls. */
  readonly iterations: number;
  readonly condensations: number;
}

/** Whether a value is a status: logs of other hosts may hold any value. */
export function isStatus(value: unknown): value is ConversationStatus {
  return statuses.includes(value as ConversationStatus);
}
