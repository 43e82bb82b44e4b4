import { PalimpsestError } from '@palimpsest/events';
import type { Usage } from '@palimpsest/events';

/**
 * What became of a condenser's model call. `error`: it threw. `overflow`: the model refused the prompt as too long. `timeout`: it
 * took longer than its deadline. `empty`: it said nothing. `truncated`: its answer was cut off. `refused`: a content filter ended
 * it. `invalid`: the answer is not what was asked for. `too-large`: it is no smaller than what it would replace.
 */
export type ModelFailureKind =
  'error' | 'overflow' | 'timeout' | 'empty' | 'truncated' | 'refused' | 'invalid' | 'too-large';

/** What a model call took, whether its answer was of use or not. */
export interface ModelAccount {
  /** The model that answered, or that was asked. */
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  /** Unit: USD. */
  readonly costUsd?: number | undefined;
}

/** Options of {@link CondenserModelError}. */
export interface CondenserModelErrorOptions {
  readonly account?: ModelAccount | undefined;
  /** Whether the same history can succeed at the next try, with less to read. @defaultValue true */
  readonly mayRetry?: boolean | undefined;
  readonly cause?: unknown;
}

/** The model of a condenser gave nothing that can be used. The history is as it was. */
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
