import { PalimpsestError } from '@palimpsest/events';

/** A secret that cannot be masked safely. The error gives its position, and neither its name nor its value. */
export class InvalidSecretError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidSecretError';
  }

  /** The position of the secret among those given; the first is 1. */
  readonly position: number;

  constructor(position: number, reason: string) {
    super('invalid-secret', `Secret number ${position} ${reason}`);
    this.position = position;
  }
}
