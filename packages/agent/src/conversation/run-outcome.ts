import type { ActionEvent } from '@palimpsest/events';
import type { StuckPattern } from '../stuck-detection.js';

const statuses = ['idle', 'running', 'paused', 'waiting-for-confirmation', 'finished', 'stuck', 'error'] as const;

/** Where a conversation stands between two calls of its methods. */
export type ConversationStatus = (typeof statuses)[number];

/** How a run ended. */
export interface RunOutcome {
  readonly status: 'finished' | 'paused' | 'waiting-for-confirmation' | 'stuck';
  /** The model's final words, when it finished. */
  readonly answer?: string;
  /** The actions that wait for a person's yes: `Conversation.confirm`, `Conversation.reject`. */
  readonly waiting?: readonly ActionEvent[];
  /** What the run did again and again, when it is stuck. */
  readonly stuck?: StuckPattern;
  /** Steps in which the model was called or calls were carried out. */
  readonly iterations: number;
  readonly condensations: number;
}

/** Whether this is one of the statuses: logs of other hosts may hold anything there. */
export function isStatus(value: unknown): value is ConversationStatus {
  return statuses.includes(value as ConversationStatus);
}
