import { nearName, PalimpsestError, plainName } from '@palimpsest/events';
import type { Usage } from '@palimpsest/events';

/** No condenser has this name. The error lists the known names and suggests the nearest one. */
export class CondenserNotFoundError extends PalimpsestError {
  static override get typeName(): string {
    return 'CondenserNotFoundError';
  }

  readonly condenser: string;
  readonly known: readonly string[];

  /** @param path The place of the name in a configuration. */
  constructor(condenser: string, known: readonly string[], path?: string) {
    const where = path === undefined ? '' : `'${path}': `;
    super(
      'condenser-not-found',
      `${where}There is no condenser '${condenser}'.${didYouMean(condenser, known)} Known are: ${known.join(', ')}.`,
    );
    this.condenser = condenser;
    this.known = known;
  }
}

/**
 * The options of a condenser contradict each other or are out of range, or a configuration cannot be read. The error names the
 * condenser and the option; in a configuration, also the path of the option.
 */
export class InvalidCondenserConfigError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidCondenserConfigError';
  }

  readonly condenser: string;
  readonly option: string;
  readonly reason: string;

  constructor(options: {
    readonly condenser: string;
    readonly option: string;
    readonly reason: string;
    readonly cause?: unknown;
  }) {
    const { condenser, option, reason, cause } = options;
    super('invalid-condenser-config', `${condenser}: '${option}' ${reason}`, cause === undefined ? {} : { cause });
    this.condenser = condenser;
    this.option = option;
    this.reason = reason;
  }
}

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
  /** False if a retry on the same history, with a shorter prompt, cannot succeed. @defaultValue true */
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

/** Names in other projects for our names, if the two look different. Keys are plain names. */
const elsewhere: Readonly<Record<string, string>> = {
  condensers: 'stages',
  maxeventlength: 'maxEventCharacters',
  compactor: 'llm',
  llmconfig: 'llm',
  maxevents: 'maxSize',
  hardresettries: 'tries',
};

/** Returns the known name that was most likely meant, also by its name in another project. Undefined if no name is near. */
export function nearMiss(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name);
  const renamed = Object.hasOwn(elsewhere, plain) ? elsewhere[plain] : undefined;
  return renamed !== undefined && known.includes(renamed) ? renamed : nearName(name, known);
}

/** Returns ` Did you mean 'x'?`, or an empty text. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearMiss(name, known);
  return near === undefined ? '' : ` Did you mean '${near}'?`;
}
