import type { Usage } from '@palimpsest/events';
import { overflowInAnswer } from './answered-overflow.js';
import { assertRequest } from './checked-input.js';
import type { Delta } from './delta.js';
import { AuthenticationError, InvalidRequestError, LLMError } from './errors.js';
import type { Completion, CompletionRequest, LLM } from './llm.js';
import type { ModelFacts } from './models/model-facts.js';
import { priceTable, pricesAt } from './models/price-table.js';
import { vendorOf } from './models/vendor.js';
import type { Vendor } from './models/vendor.js';
import { costOf } from './prices.js';
import type { CostDetails, TokenPrices } from './prices.js';
import { whatIsWrongWith, withRetries } from './retry.js';
import type { RetryOptions } from './retry.js';
import { secretsOf } from './secrets.js';
import type { Secrets } from './secrets.js';
import { endAfterSilence, longestTimeoutMs } from './silence.js';

/** The options that every adapter has. */
export interface SdkLLMOptions {
  readonly model: string;
  /** @defaultValue the variable that the provider's package reads */
  readonly apiKey?: string;
  /** Where the server is. @defaultValue the provider's own */
  readonly baseURL?: string;
  /** Sent with every request, beside the provider's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The longest answer where a request does not say. Unit: tokens. */
  readonly maxOutputTokens?: number;
  /** Unit: tokens. @defaultValue what is known of the model */
  readonly contextWindow?: number;
  /** Replaces single facts of the model. @defaultValue what is known of it */
  readonly facts?: Partial<ModelFacts>;
  /**
   * What the tokens cost. @defaultValue the table's, on the day of each call, at the model's own vendor; anywhere else not
   * known, and then completions carry no cost
   */
  readonly prices?: TokenPrices;
  /**
   * How long a server may be silent: before its answer, or before the next piece of a streamed one. Unit: milliseconds.
   * @defaultValue 600,000
   */
  readonly timeoutMs?: number;
  /** @defaultValue three tries in all */
  readonly retry?: RetryOptions;
  /** Decides which prices are in force. @defaultValue the clock */
  readonly now?: () => Date;
}

/** How one attempt is to be made. */
export interface SendCall {
  /** Aborts at the caller's wish, and when the server was silent for too long. */
  readonly signal: AbortSignal;
  /** Where it is given, the answer is streamed, and each piece handed to it. */
  readonly onDelta?: (delta: Delta) => void;
  /** To be called where a stream says before its end what was counted. */
  readonly onUsage?: (usage: Usage, details: CostDetails) => void;
  /** To be called with every event of a stream: one that makes no delta, as thinking that is not shown, is no silence either. */
  readonly heard: () => void;
  /** For the SDK's own timer, which would else be shorter. Unit: milliseconds. */
  readonly timeoutMs: number;
}

/** What tells one adapter from another. */
export interface SdkAdapter<Client, Body, Response> {
  readonly provider: string;
  readonly facts: ModelFacts;
  /** Where the requests go, with options, environment and default already weighed. */
  readonly baseURL: string;
  /** Makes the SDK's client, with no retries of its own. */
  newClient(): Promise<Client>;
  /** The keys that the client sends. */
  keysOf(client: Client): readonly (string | null)[];
  toRequest(request: CompletionRequest, client: Client): Body;
  /** The same response object, streamed or not. */
  send(client: Client, body: Body, call: SendCall): Promise<Response>;
  /**
   * @param prices - those in force now
   * @throws {@link LLMError} when the response is no answer.
   */
  fromResponse(response: Response, request: CompletionRequest, prices: TokenPrices | undefined): Completion;
  toLLMError(thrown: unknown, secrets: Secrets): LLMError;
  /** Asks the provider to count. Absent where it does not. Unit: tokens. */
  countTokens?(client: Client, body: Body, call: SendCall): Promise<number>;
}

const defaultTimeoutMs = 600_000;
/** The SDK's own timer is to lose: its error does not say how long it waited. */
const sdkGraceMs = 1_000;

/**
 * An {@link LLM} over a provider's package. One client for all calls, made at the first.
 *
 * @throws {@link InvalidRequestError} when `timeoutMs` is not above 0 or a number of `retry` is none.
 */
export function sdkLLM<Client, Body, Response>(
  options: SdkLLMOptions,
  adapter: SdkAdapter<Client, Body, Response>,
): LLM {
  const { model, retry = {}, now = () => new Date() } = options;
  const timeoutMs = Math.min(options.timeoutMs ?? defaultTimeoutMs, longestTimeoutMs);
  const { provider } = adapter;
  const wrong = timeoutMs > 0 ? whatIsWrongWith(retry) : `timeoutMs must be above 0, not ${timeoutMs}`;
  if (wrong !== undefined) throw new InvalidRequestError(`${provider}: ${wrong}`, { provider });
  const vendor = vendorOf(adapter.baseURL);
  const facts = factsAt(vendor, adapter.facts, options);
  const contextWindow = options.contextWindow ?? facts.contextWindow;
  const ownPrices = vendor === undefined ? [] : priceTable.filter((row) => row.vendor === vendor);
  const pricesNow = () => options.prices ?? pricesAt(model, now(), ownPrices);
  const prices = pricesNow();
  const given = [options.apiKey, ...secretHeaders(options.headers)];
  const hidden = [...given, ...secretsInAddress(adapter.baseURL)];
  let made: Promise<{ client: Client; secrets: Secrets }> | undefined;

  const make = async () => {
    const client = await adapter.newClient().catch((thrown: unknown) => {
      throw LLMError.isInstance(thrown) ? thrown : adapter.toLLMError(thrown, secretsOf(hidden));
    });
    const keys = adapter.keysOf(client);
    if (![...keys, ...given].every(isSendable)) {
      throw new AuthenticationError(
        `${provider}: the API key holds characters that no header can carry, perhaps the end of a line`,
        { provider },
      );
    }
    return { client, secrets: secretsOf([...hidden, ...keys]) };
  };

  /** One exchange with the provider, tried as often as the options say. */
  const exchange = async <Answer>(
    { signal, onDelta, onUsage }: Pick<CompletionRequest, 'signal' | 'onDelta' | 'onUsage'>,
    request: CompletionRequest,
    ask: (client: Client, body: Body, call: SendCall) => Promise<Answer>,
  ): Promise<Answer> => {
    signal?.throwIfAborted();
    assertRequest(request, provider);
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    const { client, secrets } = await made;
    const body = adapter.toRequest(request, client);
    /** What the caller's own callback threw is the caller's, not a failure of the provider. */
    let thrownByCaller: { readonly thrown: unknown } | undefined;
    const tell = (listener: () => void): void => {
      // More may have arrived with the piece at which the caller had enough.
      signal?.throwIfAborted();
      try {
        listener();
      } catch (thrown) {
        thrownByCaller ??= { thrown };
        throw thrown;
      }
    };
    let wasHeard = false;
    const handOut = (delta: Delta): void => {
      wasHeard = true;
      tell(() => onDelta?.(delta));
    };
    const handOutCount: SendCall['onUsage'] = (usage, details) => {
      wasHeard = true;
      const inForce = pricesNow();
      const cost = inForce === undefined ? {} : { costUsd: costOf(usage, inForce, details) };
      tell(() => onUsage?.({ usage, ...cost }));
    };
    const tries: RetryOptions = {
      ...retry,
      onRetry: (failure) => {
        retry.onRetry?.(failure);
        if (wasHeard) onDelta?.({ type: 'restart', reason: failure.error.message });
        wasHeard = false;
      },
    };
    return withRetries(tries, {
      signal,
      attempt: () =>
        endAfterSilence({ timeoutMs, signal, provider }, (attemptSignal, heard) =>
          ask(client, body, {
            signal: attemptSignal,
            heard,
            timeoutMs: timeoutMs + sdkGraceMs,
            ...(onDelta === undefined ? {} : { onDelta: handOut }),
            ...(onUsage === undefined ? {} : { onUsage: handOutCount }),
          }),
        )
          .catch((thrown: unknown) => {
            if (thrownByCaller !== undefined) throw thrownByCaller.thrown;
            throw LLMError.isInstance(thrown) ? thrown : adapter.toLLMError(thrown, secrets);
          })
          // However the attempt ended, an answer that came in the same moment too.
          .finally(() => signal?.throwIfAborted()),
      // An error of ours that the caller threw ends the call like any other of theirs.
      retryable: (thrown) =>
        thrownByCaller === undefined && LLMError.isInstance(thrown) && thrown.isRetryable ? thrown : undefined,
    });
  };

  const answerOf = (completion: Completion, request: CompletionRequest): Completion => {
    // Anthropic and OpenAI refuse what does not fit; their own counts are no sign of anything.
    const overflow =
      facts.provider === 'compatible' ? overflowInAnswer(completion, request, { provider, contextWindow }) : undefined;
    if (overflow !== undefined) throw overflow;
    return completion;
  };

  const count = adapter.countTokens?.bind(adapter);
  return {
    model,
    facts,
    contextWindow,
    prices,
    complete: (request) =>
      exchange(request, request, async (client, body, call) =>
        answerOf(adapter.fromResponse(await adapter.send(client, body, call), request, pricesNow()), request),
      ),
    ...(count === undefined
      ? {}
      : {
          countTokens: (request: CompletionRequest) =>
            exchange(request.signal === undefined ? {} : { signal: request.signal }, request, count),
        }),
  };
}

/** A window is the vendor's own; a server of somebody else may have loaded the same model with a smaller one. */
function factsAt(vendor: Vendor | undefined, facts: ModelFacts, options: SdkLLMOptions): ModelFacts {
  if (facts.provider !== 'compatible' || vendor !== undefined) return facts;
  const { contextWindow: _, maxInputTokens: __, ...rest } = facts;
  return { ...rest, ...options.facts };
}

/** An HTTP client quotes a header that it cannot send, so such a key must not reach it. */
function isSendable(key: string | null | undefined): boolean {
  return key === null || key === undefined || /^[\x20-\x7e]*$/.test(key);
}

/** The values of headers whose names say that they are keys, without `Bearer`. */
function secretHeaders(headers: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.entries(headers)
    .filter(([name]) => namesSecret(name))
    .map(([, value]) => value.replace(/^[a-z]+ /i, ''));
}

function namesSecret(name: string): boolean {
  return /auth|key|token|secret|cookie|session|password|^sig/i.test(name);
}

/** Gateways take keys as a user, a password or a parameter. Each as it is written and as it is meant. */
function secretsInAddress(baseURL: string): readonly string[] {
  if (!URL.canParse(baseURL)) return [];
  const { username, password, searchParams } = new URL(baseURL);
  const ofParameters = [...searchParams].filter(([name]) => namesSecret(name)).map(([, value]) => value);
  const written = [username, password, ...ofParameters];
  return written.flatMap((text) => {
    try {
      return [text, decodeURIComponent(text)];
    } catch {
      return [text];
    }
  });
}
