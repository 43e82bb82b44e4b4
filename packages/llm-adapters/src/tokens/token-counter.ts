import { PalimpsestError } from '@palimpsest/events';
import type { CompletionRequest } from '../llm.js';

/** What of a request is counted. */
export type CountedRequest = Pick<CompletionRequest, 'messages' | 'tools'>;

/** Counts what a request sends, offline. */
export interface TokenCounter {
  /** What it counts with, for logs: `o200k_base`, `estimate`. */
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

  /** The {@link TokenCounter.name} of what failed. */
  readonly counter: string;

  constructor(counter: string, why: string, options?: { readonly cause?: unknown }) {
    super('token-count', `${counter} could not count the request: ${why}`, options);
    this.counter = counter;
  }
}

/** Turns whatever a counter throws, and a count that is none, into a {@link TokenCountError}. */
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
