import { PalimpsestError } from '@palimpsest/events';
import { codecCalled } from './codecs/unread-form.js';
import type { UnreadForm } from './codecs/unread-form.js';

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

/** The error for an option that does not exist, and for a condenser, a codec or tools that are none. Nothing was read. */
export class InvalidHistoryOptionsError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidHistoryOptionsError';
  }

  /** The name of the option, as it was given. */
  readonly option: string;

  constructor(option: string, message: string) {
    super('invalid-history-options', message);
    this.option = option;
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

/**
 * A message has the form of another API or framework than the codec reads. The list was sent all the same, and what is not read is neither
 * counted nor condensed.
 */
export class UnreadMessageError extends PalimpsestError {
  static override get typeName(): string {
    return 'UnreadMessageError';
  }

  /** The first message that is not read. */
  readonly index: number;

  constructor({ index, codec, form }: { readonly index: number; readonly codec: string; readonly form: UnreadForm }) {
    super(
      'unread-message',
      `messages[${index}] ${form.found}, which ${codecCalled(codec)} does not read: it is sent as it is, and not condensed. ${form.advice}`,
    );
    this.index = index;
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
