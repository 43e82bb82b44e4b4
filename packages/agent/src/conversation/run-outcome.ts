import type { ActionEvent } from '@palimpsest/events';
import type { StuckPattern } from '../stuck-detection.js';

const statuses = ['idle', 'running', 'paused', 'waiting-for-confirmation', 'finished', 'stuck', 'error'] as const;

/** The state of a conversation between two calls of its methods. */
export type ConversationStatus = (typeof statuses)[number];

/** How a run ended. */
export interface RunOutcome {
  /** `released`: by `Conversation.release`. */
  readonly status: 'finished' | 'paused' | 'waiting-for-confirmation' | 'stuck' | 'released';
  /** The final answer, when the run finished. */
  readonly answer?: string;
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
