import { PalimpsestError } from '@palimpsest/events';
import type { CompletionRequest } from '../llm.js';

/** The parts of a request that are counted. */
export type CountedRequest = Pick<CompletionRequest, 'messages' | 'tools'>;

/** Counts the tokens of a request, offline. */
export interface TokenCounter {
  /** The name of the counting method, for logs: `o200k_base`, `estimate`. */
  readonly name: string;
  /**
   * Unit: tokens of input.
   *
   * @throws {@link TokenCountError} when it cannot count; it never answers 0 instead.
   */
  count(request: CountedRequest): number;
}

/** A request could not be counted. The original error is `cause`. */
export class TokenCountError extends PalimpsestError {
  static override get typeName(): string {
    return 'TokenCountError';
  }

  /** The {@link TokenCounter.name} of the counter that failed. */
  readonly counter: string;

  constructor(counter: string, why: string, options?: { readonly cause?: unknown }) {
    super('token-count', `${counter} could not count the request: ${why}`, options);
    this.counter = counter;
  }
}

/** Wraps a counter: any error that it throws and any invalid count becomes a {@link TokenCountError}. */
export function safeCounter(name: string, count: (request: CountedRequest) => number): TokenCounter {
  return {
    name,
    count: (request) => {
      let tokens: number;
      try {
        tokens = count(request);
      } catch (cause) {
        throw new TokenCountError(name, cause instanceof Error ? cause.message : String(cause), { cause });
      }
      if (!Number.isFinite(tokens) || tokens < 0) throw new TokenCountError(name, `it gave ${tokens}`);
      return tokens;
    },
  };
}
