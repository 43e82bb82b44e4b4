import { isToolResult } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';

/** Why a request was refused, for programs. */
export type RejectionCode =
  | 'invalid_id'
  | 'unknown_event'
  | 'ambiguous_event'
  | 'not_maskable'
  | 'no_observation_yet'
  | 'protected_target'
  | 'too_recent'
  | 'already_redacted'
  | 'already_forgotten'
  | 'summary_empty'
  | 'summary_too_long'
  | 'not_shorter'
  | 'rate_limited';

/** A refused request, with the reason in words for the model. */
export interface Rejection {
  readonly type: 'rejected';
  readonly code: RejectionCode;
  readonly reason: string;
}

/** A refusal. */
export function rejected(code: RejectionCode, reason: string): Rejection {
  return { type: 'rejected', code, reason };
}

/** An event in words for the model. */
export function describeEvent(event: Event): string {
  if (event.type === 'action') return `${event.id} (call of ${event.toolCall.name})`;
  return isToolResult(event) ? `${event.id} (result of ${event.toolName})` : `${event.id} (${event.type})`;
}
