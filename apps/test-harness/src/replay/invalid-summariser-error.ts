import { PalimpsestError } from '@palimpsest/events';

/** The model for summaries cannot be asked. */
export class InvalidSummariserError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidSummariserError';
  }

  readonly model: string;

  constructor(model: string, reason: string) {
    super('invalid-summariser', `The summariser '${model}' ${reason}.`);
    this.model = model;
  }
}
