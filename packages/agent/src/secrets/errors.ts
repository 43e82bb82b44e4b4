import { PalimpsestError } from '@palimpsest/events';

/** A secret that cannot be masked safely. Says which one by its place, and never what it is. */
export class InvalidSecretError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidSecretError';
  }

  /** Which of the secrets, in the order in which they were given; the first is 1. */
  readonly position: number;

  constructor(position: number, reason: string) {
    super('invalid-secret', `Secret number ${position} ${reason}`);
    this.position = position;
  }
}
