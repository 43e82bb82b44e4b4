import { PalimpsestError } from '@palimpsest/events';

/** There is no condenser of this name. Lists the known ones. */
export class CondenserNotFoundError extends PalimpsestError {
  static override get typeName(): string {
    return 'CondenserNotFoundError';
  }

  readonly condenser: string;
  readonly known: readonly string[];

  constructor(condenser: string, known: readonly string[]) {
    super('condenser-not-found', `There is no condenser '${condenser}'. Known are: ${known.join(', ')}.`);
    this.condenser = condenser;
    this.known = known;
  }
}

/** The options of a condenser contradict each other or are out of range. Names the condenser and the option. */
export class InvalidCondenserConfigError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidCondenserConfigError';
  }

  readonly condenser: string;
  readonly option: string;

  constructor(options: { readonly condenser: string; readonly option: string; readonly reason: string }) {
    super('invalid-condenser-config', `${options.condenser}: '${options.option}' ${options.reason}`);
    this.condenser = options.condenser;
    this.option = options.option;
  }
}
