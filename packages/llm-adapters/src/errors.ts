import { PalimpsestError } from '@palimpsest/events';

/** The fields of every {@link LLMError}. Plain data. */
export interface LLMErrorOptions {
  /** The provider that refused: `openai`, `anthropic`, or the name of another implementation of the port. */
  readonly provider: string;
  /** The HTTP status, if there was one. */
  readonly statusCode?: number | undefined;
  /** The time that the provider asks to wait before the next attempt. Unit: milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** The provider's id of the request, for its support. */
  readonly requestId?: string | undefined;
  /**
   * The provider says explicitly that another attempt makes no sense. If true, no retry is made, whatever the class.
   * @defaultValue false
   */
  readonly refusesRetry?: boolean | undefined;
  /** Attempts beyond this time make no sense. Unit: milliseconds since the first failure. @defaultValue no bound */
  readonly maxRetryMs?: number | undefined;
  /** The original error, or a copy without the API key if the original held it. */
  readonly cause?: unknown;
}

/** The base of every error that a model call can end in, besides an abort, which rejects with the signal's own reason. */
export class LLMError extends PalimpsestError {
  static override get typeName(): string {
    return 'LLMError';
  }

  readonly provider: string;
  /** True when the same request may succeed later. False when it never will. */
  readonly isRetryable: boolean;
  readonly statusCode: number | undefined;
  /** Unit: milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Unit: milliseconds since the first failure. */
  readonly maxRetryMs: number | undefined;
  readonly requestId: string | undefined;

  constructor(code: string, message: string, options: LLMErrorOptions & { readonly isRetryable: boolean }) {
    super(code, message, options.cause === undefined ? {} : { cause: options.cause });
    this.provider = options.provider;
    this.isRetryable = options.isRetryable && options.refusesRetry !== true;
    this.statusCode = options.statusCode;
    this.retryAfterMs = options.retryAfterMs;
    this.maxRetryMs = options.maxRetryMs;
    this.requestId = options.requestId;
  }
}

/**
 * The kind of an overflow, which decides what to do. `input`: the input leaves no room in the window: condense.
 * `input-and-output`: the input fits and the answer asked for does not fit beside it: ask for a shorter answer first,
 * since condensing alone can loop. `bytes`: the request's body is too large, whatever its tokens, or holds too many or
 * too large images and documents: send fewer or smaller ones.
 */
export type OverflowKind = 'input' | 'input-and-output' | 'bytes';

/**
 * The request does not fit into the model's window, or into what the account may send in a minute. Never retryable as
 * it is.
 */
export class ContextWindowExceededError extends LLMError {
  static override get typeName(): string {
    return 'ContextWindowExceededError';
  }

  readonly kind: OverflowKind;
  /** The size of the input, as the provider counted it. Unit: tokens. */
  readonly inputTokens: number | undefined;
  /** The window, as the provider reported it. Unit: tokens. */
  readonly contextWindow: number | undefined;
  /** The input and the longest answer, as the provider counted them together. Unit: tokens. */
  readonly requestedTokens: number | undefined;

  constructor(
    message: string,
    options: LLMErrorOptions & {
      readonly kind: OverflowKind;
      readonly inputTokens?: number | undefined;
      readonly contextWindow?: number | undefined;
      readonly requestedTokens?: number | undefined;
    },
  ) {
    super('context-window-exceeded', message, { ...options, isRetryable: false });
    this.kind = options.kind;
    this.inputTokens = options.inputTokens;
    this.contextWindow = options.contextWindow;
    this.requestedTokens = options.requestedTokens;
  }
}

/**
 * The reason why a rate limit refused. `rate`: too much at once, wait. `quota`: the account has nothing left to spend.
 */
export type RateLimitKind = 'rate' | 'quota';

/** The account's limit was reached. Retryable if `kind` is `rate`, unless the provider says otherwise. */
export class RateLimitError extends LLMError {
  static override get typeName(): string {
    return 'RateLimitError';
  }

  readonly kind: RateLimitKind;

  constructor(message: string, options: LLMErrorOptions & { readonly kind: RateLimitKind }) {
    super('rate-limit', message, { ...options, isRetryable: options.kind === 'rate' });
    this.kind = options.kind;
  }
}

/** No key, a wrong key, or one that may not use this model. */
export class AuthenticationError extends LLMError {
  static override get typeName(): string {
    return 'AuthenticationError';
  }

  constructor(message: string, options: LLMErrorOptions) {
    super('authentication', message, { ...options, isRetryable: false });
  }
}

/** The message list breaks a rule of the provider: calls without results, results without calls, altered thinking. */
export class MalformedHistoryError extends LLMError {
  static override get typeName(): string {
    return 'MalformedHistoryError';
  }

  constructor(message: string, options: LLMErrorOptions) {
    super('malformed-history', message, { ...options, isRetryable: false });
  }
}

/** The provider refuses this content. */
export class ContentPolicyError extends LLMError {
  static override get typeName(): string {
    return 'ContentPolicyError';
  }

  constructor(message: string, options: LLMErrorOptions) {
    super('content-policy', message, { ...options, isRetryable: false });
  }
}

/** The request itself is wrong: an unknown model, a parameter that the model does not take, two tools of one name. */
export class InvalidRequestError extends LLMError {
  static override get typeName(): string {
    return 'InvalidRequestError';
  }

  constructor(message: string, options: LLMErrorOptions) {
    super('invalid-request', message, { ...options, isRetryable: false });
  }
}

/**
 * The provider could not be reached, is overloaded, failed, or answered with something other than a completion. Retryable,
 * unless the provider says otherwise.
 */
export class ServiceUnavailableError extends LLMError {
  static override get typeName(): string {
    return 'ServiceUnavailableError';
  }

  constructor(message: string, options: LLMErrorOptions) {
    super('service-unavailable', message, { ...options, isRetryable: true });
  }
}

/** The package that talks to the provider, or one that it needs, is not installed. The message says what to install. */
export class MissingSdkError extends LLMError {
  static override get typeName(): string {
    return 'MissingSdkError';
  }

  /** The package to install. */
  readonly packageName: string;

  constructor(packageName: string, options: LLMErrorOptions) {
    super(
      'missing-sdk',
      `The package '${packageName}' could not be loaded. It is an optional peer of @palimpsest/llm-adapters: ` +
        `npm install ${packageName}${options.cause instanceof Error ? ` (${options.cause.message})` : ''}`,
      { ...options, isRetryable: false },
    );
    this.packageName = packageName;
  }
}
