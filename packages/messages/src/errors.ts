import { PalimpsestError } from '@palimpsest/events';

/** What a history was given is not a list of messages. Nothing was read. */
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
