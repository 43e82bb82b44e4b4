import { PalimpsestError } from '@palimpsest/events';

/** A condenser must act but cannot. The view is unchanged; the host decides how to go on. */
export class NoCondensationAvailableError extends PalimpsestError {
  static override get typeName(): string {
    return 'NoCondensationAvailableError';
  }

  constructor(reason: string, options?: { readonly cause?: unknown }) {
    super('no-condensation-available', `No condensation is available: ${reason}`, options);
  }
}

/** A condenser did not decide before its host's deadline. The view is unchanged; a later result is ignored. */
export class CondenserTimeoutError extends PalimpsestError {
  static override get typeName(): string {
    return 'CondenserTimeoutError';
  }

  /** The name of the condenser. */
  readonly condenser: string;
  /** Unit: milliseconds. */
  readonly timeoutMs: number;

  constructor(condenser: string, timeoutMs: number) {
    super('condenser-timeout', `The condenser '${condenser}' did not decide within ${timeoutMs} ms.`);
    this.condenser = condenser;
    this.timeoutMs = timeoutMs;
  }
}

/** A condenser returned neither a view nor a condensation. Only its reports were appended. */
export class InvalidCondenserResultError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidCondenserResultError';
  }

  /** The name of the condenser. */
  readonly condenser: string;

  constructor(condenser: string, result: unknown) {
    super(
      'invalid-condenser-result',
      `The condenser '${condenser}' returned neither a view nor a condensation but ${kindOf(result)}. ` +
        'Return the view that it is given, a view made from it, or a condensation.',
    );
    this.condenser = condenser;
  }
}

/** The log argument has no `view` or no `append` method. Nothing was changed. */
export class InvalidCondensedLogError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidCondensedLogError';
  }

  constructor(reason: string) {
    super(
      'invalid-condensed-log',
      `The log cannot be condensed: ${reason}. Pass a ViewProjection, or an object with the \`view\` of all that the log holds ` +
        'and `append(event)`, which appends to the log and to the projection that the view is taken of.',
    );
  }
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'another object' : `a ${typeof value}`;
}
