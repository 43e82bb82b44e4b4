import { PalimpsestError } from '@palimpsest/events';
import { priceTable } from '@palimpsest/llm-adapters';

/** No prices are known for a model. The message lists models that have some. */
export class UnknownModelError extends PalimpsestError {
  static override get typeName(): string {
    return 'UnknownModelError';
  }

  readonly model: string;

  constructor(model: string) {
    const known = [...new Set(priceTable.flatMap(({ models }) => models))].sort();
    super('unknown-model', `No prices are known for the model '${model}'. There are prices for: ${known.join(', ')}.`);
    this.model = model;
  }
}
