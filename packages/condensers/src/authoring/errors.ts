import { PalimpsestError } from '@palimpsest/events';
import { didYouMean } from './options/near-miss.js';

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
