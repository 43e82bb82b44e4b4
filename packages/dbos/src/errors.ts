import { PalimpsestError } from '@palimpsest/events';

/**
 * A request for a conversation that is a dead letter: workers died while they ran it. It is not run before {@link DbosRunner.resume}.
 * Messages that were put in are kept.
 */
export class DeadLetterError extends PalimpsestError {
  static override get typeName(): string {
    return 'DeadLetterError';
  }

  readonly conversationId: string;

  constructor(conversationId: string, explanation: string) {
    super(
      'dead-letter',
      `Conversation '${conversationId}' is not run any more, until somebody resumes it. ${explanation}`,
    );
    this.conversationId = conversationId;
  }
}
