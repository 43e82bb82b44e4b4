import { PalimpsestError } from '@palimpsest/events';

/** The error for a value that is not a list of messages. Nothing was read. */
export class InvalidMessagesError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidMessagesError';
  }

  constructor(value: unknown) {
    super(
      'invalid-messages',
      `fit takes the list of all messages of the conversation, not ${value === null ? 'null' : `a value of type ${typeof value}`}.`,
    );
  }
}

const wantedOptions = {
  condenser: 'a condenser, as pricedCondenser() returns it',
  codec: 'a codec, as chatMessages() returns it',
  historyTools: 'what historyTools() of @palimpsest/messages/tools returns',
};

/** The error for a condenser, a codec or tools of a history that are none. */
export class InvalidHistoryOptionsError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidHistoryOptionsError';
  }

  constructor(option: keyof typeof wantedOptions, value: unknown) {
    const hint = typeof value === 'function' ? ' It is a function: call it.' : '';
    super(
      'invalid-history-options',
      `${option} has to be ${wantedOptions[option]}, not a value of type ${typeof value}.${hint}`,
    );
  }
}

/**
 * A host has changed an earlier message at three requests in a row, and kept what came behind it: a clock in the first message. The list was
 * sent all the same. Put such text at the end of the list, or into `tail` of `fit`.
 */
export class ChangedMessagesError extends PalimpsestError {
  static override get typeName(): string {
    return 'ChangedMessagesError';
  }

  /** The first message that differs. */
  readonly index: number;
  /** The size of the list from this message on, as estimated: what each request pays as new, and what no condensation holds for. Unit: tokens. */
  readonly tokens: number;

  constructor({ index, tokens }: { readonly index: number; readonly tokens: number }) {
    super(
      'changed-messages',
      `Message ${index} of the list changes from request to request, so the prompt cache ends there: about ${tokens} tokens are paid as new each time, ` +
        'and no condensation of this part lasts. Put what changes at the end of the list.',
    );
    this.index = index;
    this.tokens = tokens;
  }
}

/** The error for a value given to `used` that has no known form of usage. Estimates are not corrected by it. */
export class UnreadUsageError extends PalimpsestError {
  static override get typeName(): string {
    return 'UnreadUsageError';
  }

  /** The names of the fields that were given. */
  readonly fields: readonly string[];

  constructor(reported: object) {
    const fields = Object.keys(reported).slice(0, 20);
    super(
      'unread-usage',
      `used() cannot read this usage, which has the fields ${fields.join(', ') || '(none)'}. ` +
        'Pass what a provider or a framework reports for one call, or an object with the fields of Usage.',
    );
    this.fields = fields;
  }
}
