import type { AttemptReport, CondenseContext, View } from '@palimpsest/view';
import { definedOf } from './accounting.js';
import { sizeNow } from './back-off.js';
import type { CondenserModelError } from '../model/model-failure.js';

/** Reports an attempt to the host, without the data that is undefined, which JSON does not know. */
export function reportAttempt(context: CondenseContext, { data = {}, ...attempt }: AttemptReport): void {
  context.report?.({ ...attempt, data: definedOf(data) });
}

/** A model call that failed. */
export interface FailedCall {
  readonly condenser: string;
  readonly view: View;
  readonly context: CondenseContext;
  readonly failure: CondenserModelError;
  /** `retried` where the condenser goes on to ask again. @defaultValue `failed` */
  readonly outcome?: 'failed' | 'retried' | undefined;
  /** More for the report. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/** Reports a model call that failed, with what it took. What {@link isHeldBack} goes by, once the host has put it into the log. */
export function reportFailedCall({ condenser, view, context, failure, outcome = 'failed', data }: FailedCall): void {
  const { kind, account, message } = failure;
  const size = { events: sizeNow(view), tokens: view.tokens() };
  reportAttempt(context, { outcome, reason: message, data: { condenser, kind, ...data, ...size, ...account } });
}
