import type { AttemptReport, CondenseContext, View } from '@palimpsest/view';
import { definedOf } from './accounting.js';
import { sizeNow } from './back-off.js';
import type { CondenserModelError } from '../model/model-failure.js';

/** Reports an attempt to the host, without undefined data, which JSON cannot represent. */
export function reportAttempt(context: CondenseContext, { data = {}, ...attempt }: AttemptReport): void {
  context.report?.({ ...attempt, data: definedOf(data) });
}

/** A failed model call. */
export interface FailedCall {
  readonly condenser: string;
  readonly view: View;
  readonly context: CondenseContext;
  readonly failure: CondenserModelError;
  /** `retried` if the condenser calls the model again. @defaultValue `failed` */
  readonly outcome?: 'failed' | 'retried' | undefined;
  /** Additional data of the report. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Reports a failed model call with its usage and cost. {@link isHeldBack} reads the report after the host has appended it to the
 * log.
 */
export function reportFailedCall({ condenser, view, context, failure, outcome = 'failed', data }: FailedCall): void {
  const { kind, account, message } = failure;
  const size = { events: sizeNow(view), tokens: view.tokens() };
  reportAttempt(context, { outcome, reason: message, data: { condenser, kind, ...data, ...size, ...account } });
}
