import { PalimpsestError } from '@palimpsest/events';
import type { EventId } from '@palimpsest/events';

/** A run failed. The status of the conversation is `error`, the log ends in a `conversation-error`, and `cause` is the error. */
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

/** A limit of {@link Limits} was reached. The log is complete: a later run continues from here. */
export class LimitExceededError extends PalimpsestError {
  static override get typeName(): string {
    return 'LimitExceededError';
  }

  readonly limit: 'iterations' | 'tokens' | 'cost-usd' | 'condensations-in-a-row';
  /** The limit that was reached. */
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

/**
 * The history does not fit into the model's window, and nothing is left that may be masked or forgotten. If `protectedTokens`
 * is set, the instructions, the first and the latest message of the user and the pinned events alone are too long.
 */
export class ContextOverflowError extends PalimpsestError {
  static override get typeName(): string {
    return 'ContextOverflowError';
  }

  readonly model: string;
  /** The size of the protected events. Unit: tokens, as the view estimates. */
  readonly protectedTokens: number | undefined;
  /** The part of the window that is left for the history. Unit: tokens, as the view estimates. */
  readonly room: number | undefined;

  constructor(
    model: string,
    cause: unknown,
    found: { readonly protectedTokens?: number; readonly room?: number; readonly isVetoed?: boolean } = {},
  ) {
    const { protectedTokens, room, isVetoed = false } = found;
    const reason =
      protectedTokens === undefined
        ? isVetoed
          ? 'a hook vetoed the condensation that would have made room'
          : 'everything that may be forgotten is forgotten'
        : `the protected events are too long: the system prompt, set-up, the first and the latest message of the user and those that wait for an answer, and the pinned events take about ${protectedTokens} tokens, and there is room for ${room ?? 0} tokens`;
    const advice =
      'Use a model with a larger window, shorten the instructions, the tools or the message (give a long text as a file that a tool reads), or unpin.';
    super('context-overflow', `The history does not fit into the window of '${model}', and ${reason}. ${advice}`, {
      cause,
    });
    this.model = model;
    this.protectedTokens = protectedTokens;
    this.room = room;
  }
}

/** A condensation was requested, and the agent has no condenser that handles requests. Nothing was appended. */
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

/** The conversation is closed: it can still be read and forked. Nothing was appended. */
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

/** A run was started before the user sent a message. */
export class NoUserMessageError extends PalimpsestError {
  static override get typeName(): string {
    return 'NoUserMessageError';
  }

  constructor(conversationId: string) {
    super('no-user-message', `Conversation '${conversationId}' holds no message of the user; send one first.`);
  }
}

/** A revert names a condensation that is not in force. Nothing was appended. */
export class CondensationNotInForceError extends PalimpsestError {
  static override get typeName(): string {
    return 'CondensationNotInForceError';
  }

  readonly condensationId: string;
  readonly reason: 'unknown' | 'reverted';

  constructor(conversationId: string, condensationId: string, reason: 'unknown' | 'reverted') {
    const what = reason === 'reverted' ? 'is already reverted' : 'is not in its log';
    super(
      'condensation-not-in-force',
      `Conversation '${conversationId}': the condensation '${condensationId}' ${what}; see view.condensations for those in force.`,
    );
    this.condensationId = condensationId;
    this.reason = reason;
  }
}

/** Events that were to be pinned or unpinned are not in the view: they are hidden, or the log has none such. Nothing was appended. */
export class EventNotInViewError extends PalimpsestError {
  static override get typeName(): string {
    return 'EventNotInViewError';
  }

  readonly eventIds: readonly EventId[];

  constructor(conversationId: string, eventIds: readonly EventId[]) {
    super(
      'event-not-in-view',
      `Conversation '${conversationId}': the model does not see ${eventIds.join(', ')} now, and a pin brings nothing back; revert the condensation that hides it first.`,
    );
    this.eventIds = eventIds;
  }
}

/** A tool may not append this event. Nothing was appended; the model reads the message as the result of the call. */
export class ToolEventRefusedError extends PalimpsestError {
  static override get typeName(): string {
    return 'ToolEventRefusedError';
  }

  readonly toolName: string;
  readonly eventType: string;

  constructor(toolName: string, eventType: string, reason: string) {
    super('tool-event-refused', `'${toolName}' may not append an event of type '${eventType}': ${reason}.`);
    this.toolName = toolName;
    this.eventType = eventType;
  }
}

/** An optional peer is not installed. The message says what to install. */
export class MissingPackageError extends PalimpsestError {
  static override get typeName(): string {
    return 'MissingPackageError';
  }

  /** The package to install. */
  readonly packageName: string;

  constructor(packageName: string, cause: unknown) {
    const message = `The package '${packageName}' could not be loaded. It is an optional peer of @palimpsest/agent: npm install ${packageName}`;
    super('missing-package', message, { cause });
    this.packageName = packageName;
  }
}

/** Returns the code of an error, for programs: a PalimpsestError's `code`, else the error's name. */
export function codeOf(thrown: unknown): string {
  if (PalimpsestError.isInstance(thrown)) return thrown.code;
  return thrown instanceof Error ? thrown.name : 'unknown';
}

/** Returns the message of any thrown value. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    // The value has no prototype, or a getter that throws.
    return 'an error without a message was thrown';
  }
}

/** @throws RangeError when the value is not a whole number of at least `least`. Undefined is allowed. */
export function assertCount(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return;
  throw new RangeError(`${name} must be a whole number of at least ${least}, not ${String(value)}.`);
}

/** @throws RangeError when the value is not more than 0. `Infinity` and undefined are allowed. */
export function assertPositive(name: string, value: number | undefined): void {
  if (value === undefined || (typeof value === 'number' && value > 0)) return;
  throw new RangeError(`${name} must be more than 0 (Infinity: no limit), not ${String(value)}.`);
}

/** @throws TypeError when the value has no such method, for instance because a factory was not called or not awaited. */
export function assertMethod(name: string, value: object, method: string, what: string): void {
  if (typeof (value as Partial<Record<string, unknown>> | undefined)?.[method] === 'function') return;
  throw new TypeError(`${name} must be ${what}, with \`${method}\`. Was its factory called, and awaited?`);
}
