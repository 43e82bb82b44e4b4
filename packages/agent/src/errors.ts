import { PalimpsestError } from '@palimpsest/events';

/** A run failed. The conversation's status is `error`, the log ends in a `conversation-error`, and `cause` is what happened. */
export class ConversationRunError extends PalimpsestError {
  static override get typeName(): string {
    return 'ConversationRunError';
  }

  readonly conversationId: string;

  constructor(conversationId: string, cause: unknown, reason = messageOf(cause)) {
    super('conversation-run', `The run of conversation '${conversationId}' failed: ${reason}`, { cause });
    this.conversationId = conversationId;
  }
}

/** A bound of {@link Limits} was reached. The log is complete: a later run goes on from where this one stopped. */
export class LimitExceededError extends PalimpsestError {
  static override get typeName(): string {
    return 'LimitExceededError';
  }

  readonly limit: 'iterations' | 'tokens' | 'cost-usd' | 'condensations-in-a-row';
  /** The bound that was reached. */
  readonly value: number;

  constructor(
    limit: 'iterations' | 'tokens' | 'cost-usd' | 'condensations-in-a-row',
    value: number,
    advice: string,
    options?: { readonly cause?: unknown },
  ) {
    super('limit-exceeded', `The limit of ${value} ${limit.replaceAll('-', ' ')} was reached. ${advice}`, options);
    this.limit = limit;
    this.value = value;
  }
}

/** The history does not fit into the model's window, and there is no condenser, or it has nothing left to give up. */
export class ContextOverflowError extends PalimpsestError {
  static override get typeName(): string {
    return 'ContextOverflowError';
  }

  readonly model: string;

  constructor(model: string, cause: unknown, isCondensed = false) {
    const advice = isCondensed
      ? 'all that may be forgotten is forgotten: use a model with a larger window, or shorten the instructions, the tools or the task.'
      : 'nothing can make it smaller: give the agent a condenser that handles condensation requests, or a model with a larger window.';
    super('context-overflow', `The history does not fit into the window of '${model}', and ${advice}`, { cause });
    this.model = model;
  }
}

/** A condensation was asked for, and the agent has no condenser that acts on requests. Nothing was appended. */
export class CondensationNotSupportedError extends PalimpsestError {
  static override get typeName(): string {
    return 'CondensationNotSupportedError';
  }

  constructor(condenser: string | undefined) {
    super(
      'condensation-not-supported',
      condenser === undefined
        ? 'The agent has no condenser.'
        : `The condenser '${condenser}' does not handle condensation requests.`,
    );
  }
}

/** The conversation was closed: it can be read and forked. Nothing was appended. */
export class ConversationClosedError extends PalimpsestError {
  static override get typeName(): string {
    return 'ConversationClosedError';
  }

  readonly conversationId: string;

  constructor(conversationId: string) {
    super('conversation-closed', `Conversation '${conversationId}' is closed; open it again to go on with it.`);
    this.conversationId = conversationId;
  }
}

/** A run was asked for before the user said anything. */
export class NoUserMessageError extends PalimpsestError {
  static override get typeName(): string {
    return 'NoUserMessageError';
  }

  constructor(conversationId: string) {
    super('no-user-message', `Conversation '${conversationId}' holds no message of the user; send one first.`);
  }
}

/** What a program can tell an error by: its code where it has one, else its name. */
export function codeOf(thrown: unknown): string {
  if (PalimpsestError.isInstance(thrown)) return thrown.code;
  return thrown instanceof Error ? thrown.name : 'unknown';
}

/** The words of anything that can be thrown. Never throws itself. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    // An object without a prototype, or with a getter that fails.
    return 'something without words was thrown';
  }
}
