import { PalimpsestError } from '@palimpsest/events';
import { didYouMean } from './options/near-miss.js';

/** There is no condenser of this name. Lists the known ones, and names the one that was probably meant. */
export class CondenserNotFoundError extends PalimpsestError {
  static override get typeName(): string {
    return 'CondenserNotFoundError';
  }

  readonly condenser: string;
  readonly known: readonly string[];

  /** @param path Where the name stands in a configuration. */
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
 * The options of a condenser contradict each other or are out of range, or a configuration cannot be read. Names the condenser
 * and the option; in a configuration, the path of the option.
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
