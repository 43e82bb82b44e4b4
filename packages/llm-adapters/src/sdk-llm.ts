import { deltasFromMessage } from './delta.js';
import { AuthenticationError, LLMError } from './errors.js';
import type { Completion, CompletionRequest, LLM } from './llm.js';
import type { TokenPrices } from './prices.js';
import { secretsOf } from './secrets.js';
import type { Secrets } from './secrets.js';

/** The options that every adapter has. */
export interface SdkLLMOptions {
  readonly model: string;
  /** @defaultValue the variable that the provider's package reads */
  readonly apiKey?: string;
  /** Where the server is. @defaultValue the provider's own */
  readonly baseURL?: string;
  /** The longest answer where a request does not say. Unit: tokens. */
  readonly maxOutputTokens?: number;
  /** Unit: tokens. @defaultValue not known */
  readonly contextWindow?: number;
  /** @defaultValue not known, and then completions carry no cost */
  readonly prices?: TokenPrices;
}

/** What tells one adapter from another. */
export interface SdkAdapter<Client, Body, Response> {
  readonly provider: string;
  newClient(): Promise<Client>;
  /** The keys that the client sends. */
  keysOf(client: Client): readonly (string | null)[];
  toRequest(request: CompletionRequest, client: Client): Body;
  send(client: Client, body: Body, signal: AbortSignal | undefined): Promise<Response>;
  /** @throws {@link LLMError} when the response is no answer. */
  fromResponse(response: Response, request: CompletionRequest): Completion;
  toLLMError(thrown: unknown, secrets: Secrets): LLMError;
}

/** An {@link LLM} over a provider's package. One client for all calls, made at the first. */
export function sdkLLM<Client, Body, Response>(
  options: SdkLLMOptions,
  adapter: SdkAdapter<Client, Body, Response>,
): LLM {
  const { model, contextWindow, prices } = options;
  const given = [options.apiKey, passwordOf(options.baseURL)];
  let made: Promise<{ client: Client; secrets: Secrets }> | undefined;

  const make = async () => {
    const client = await adapter.newClient().catch((thrown: unknown) => {
      throw LLMError.isInstance(thrown) ? thrown : adapter.toLLMError(thrown, secretsOf(given));
    });
    const keys = adapter.keysOf(client);
    if (!keys.every(isSendable)) {
      throw new AuthenticationError(
        `${adapter.provider}: the API key holds characters that no header can carry, perhaps the end of a line`,
        { provider: adapter.provider },
      );
    }
    return { client, secrets: secretsOf([...given, ...keys]) };
  };

  return {
    model,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(prices === undefined ? {} : { prices }),
    complete: async (request) => {
      const { signal, onDelta } = request;
      signal?.throwIfAborted();
      made ??= make().catch((error: unknown) => {
        made = undefined;
        throw error;
      });
      const { client, secrets } = await made;
      const body = adapter.toRequest(request, client);
      const response = await adapter.send(client, body, signal).catch((thrown: unknown) => {
        signal?.throwIfAborted();
        throw adapter.toLLMError(thrown, secrets);
      });
      const completion = adapter.fromResponse(response, request);
      if (onDelta !== undefined) for (const delta of deltasFromMessage(completion.message)) onDelta(delta);
      return completion;
    },
  };
}

/** An HTTP client quotes a header that it cannot send, so such a key must not reach it. */
function isSendable(key: string | null): boolean {
  return key === null || /^[\x20-\x7e]*$/.test(key);
}

function passwordOf(baseURL: string | undefined): string | undefined {
  return baseURL !== undefined && URL.canParse(baseURL) ? decodeURIComponent(new URL(baseURL).password) : undefined;
}
