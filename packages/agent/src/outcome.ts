import type { ActionEvent, Condensation } from '@palimpsest/events';
import type { FinishReason } from '@palimpsest/llm-adapters';

/**
 * The outcome of a step.
 *
 * - `tool-calls`: it carried out calls; `answer` is there when the finish tool was among them, and the run is over.
 * - `message`: the model answered in words, and the run is over. The words of incomplete answers right before it are part of `answer`.
 *   `finishReason` is there if the model did not end the answer itself.
 * - `no-answer`: the model gave nothing to act on, and it was told so.
 * - `incomplete`: the answer was cut, by its limit or its provider, and holds no call that could be run. The model was told so, except of
 *   `paused`. The next step continues the answer. A loop of your own bounds how often.
 * - `condensation`: the condenser returned one; the model was not called.
 * - `condensation-request`: the model call overflowed, and a condensation was asked for.
 * - `awaiting-confirmation`: some actions wait for a person's yes; none of their response was carried out.
 * - `refused`: the provider refused the content and the model was told so; a second refusal in a row is an error.
 */
export type StepOutcome =
  | { readonly type: 'tool-calls'; readonly answer?: string }
  | { readonly type: 'message'; readonly answer: string; readonly finishReason?: FinishReason }
  | { readonly type: 'no-answer' }
  | { readonly type: 'incomplete'; readonly finishReason: FinishReason }
  | { readonly type: 'condensation'; readonly condensation: Condensation }
  | { readonly type: 'condensation-request' }
  | { readonly type: 'awaiting-confirmation'; readonly actions: readonly ActionEvent[] }
  | { readonly type: 'refused' };

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

/** The outcome of a run. */
export interface RunOutcome {
  /**
   * `incomplete`: the answer was cut once more after {@link maxContinuations} continuations in a row. A later run goes on with
   * it. `released`: by `Conversation.release`.
   */
  readonly status: 'finished' | 'paused' | 'waiting-for-confirmation' | 'stuck' | 'incomplete' | 'released';
  /** The final answer, when the run finished. */
  readonly answer?: string;
  /**
   * The reason why the last answer ended, if the model did not end it itself: with the status `incomplete`, and with
   * `finished` where the provider gave a reason that only it knows. Set by the run that got the answer.
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

/** Reports whether a value is a status: logs of other hosts may hold any value. */
export function isStatus(value: unknown): value is ConversationStatus {
  return statuses.includes(value as ConversationStatus);
}

/** The patterns of a run that makes no progress. */
export type StuckPattern =
  'repeated-action' | 'repeated-error' | 'monologue' | 'alternating-actions' | 'context-window-loop';
