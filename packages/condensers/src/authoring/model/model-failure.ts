import { PalimpsestError } from '@palimpsest/events';
import type { Usage } from '@palimpsest/events';

/**
 * The kind of failure of a condenser's model call. `error`: the call threw. `overflow`: the model refused the prompt as too long.
 * `timeout`: the call exceeded its deadline. `empty`: the answer has no text. `truncated`: the answer was cut off. `refused`: a
 * content filter ended the answer, or the model said that it refuses. `invalid`: the answer does not have the requested form, or calls a
 * tool. `too-large`: the answer is not smaller than the text that it would replace.
 */
export type ModelFailureKind =
  'error' | 'overflow' | 'timeout' | 'empty' | 'truncated' | 'refused' | 'invalid' | 'too-large';

/** The usage and cost of a model call, also of a failed one. */
export interface ModelAccount {
  /** The model that answered, or that was called. */
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  /** Unit: USD. */
  readonly costUsd?: number | undefined;
}

/** Options of {@link CondenserModelError}. */
export interface CondenserModelErrorOptions {
  readonly account?: ModelAccount | undefined;
  /** Whether a retry on the same history, with a shorter prompt, can succeed. @defaultValue true */
  readonly mayRetry?: boolean | undefined;
  readonly cause?: unknown;
}

/** The model of a condenser gave no usable answer. The history is unchanged. */
export class CondenserModelError extends PalimpsestError {
  static override get typeName(): string {
    return 'CondenserModelError';
  }

  readonly kind: ModelFailureKind;
  readonly account: ModelAccount;
  readonly mayRetry: boolean;

  constructor(kind: ModelFailureKind, reason: string, options: CondenserModelErrorOptions = {}) {
    super('condenser-model', reason, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = kind;
    this.account = options.account ?? {};
    this.mayRetry = options.mayRetry ?? true;
  }
}
