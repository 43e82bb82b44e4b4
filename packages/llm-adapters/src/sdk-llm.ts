import type { Usage } from '@palimpsest/events';
import { wholeCharacters } from './llm.js';
import type { Completion, CompletionRequest, Delta, LLM } from './llm.js';
import { AuthenticationError, InvalidRequestError, LLMError, ServiceUnavailableError } from './errors.js';
import { connectionFailure } from './http-failure.js';
import type { Effort, ModelFacts } from './models/model-facts.js';
import { pricesAt, priceTable, vendorOf } from './models/price-table.js';
import type { Vendor } from './models/price-table.js';
import { isCount, isEffort, isFunction, isObject, isText } from './options.js';
import type { OptionCheck, OptionChecks } from './options.js';
import { AnsweredCounts, overflowInAnswer } from './overflow.js';
import { costOf } from './prices.js';
import type { CostDetails, TokenPrices } from './prices.js';
import { assertRequest, effortOf } from './request-check.js';
import { endAfterSilence, longestTimeoutMs, retryOptionsProblem, withRetries } from './retry.js';
import type { RetryOptions } from './retry.js';
import { isSendable, secretHeaders, secretsInAddress, secretsOf } from './secrets.js';
import type { Secrets } from './secrets.js';
import { field, isRecord } from './wire/json-fields.js';

/** The options that every adapter has. */
export interface SdkLLMOptions {
  readonly model: string;
  /** @defaultValue the variable that the provider's package reads */
  readonly apiKey?: string;
  /** The server's address. @defaultValue the provider's own */
  readonly baseURL?: string;
  /** HTTP headers that are sent with every request, in addition to the provider's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The longest answer if the request sets no limit. Unit: tokens. */
  readonly maxOutputTokens?: number;
  /** The effort that the model spends on an answer if the request does not say it. @defaultValue the model's own */
  readonly effort?: Effort;
  /** Unit: tokens. @defaultValue the model table's value */
  readonly contextWindow?: number;
  /** Replaces single facts of the model. @defaultValue the model table's facts */
  readonly facts?: Partial<ModelFacts>;
  /**
   * The prices of the tokens. @defaultValue the price table's, on the day of each call, if the server is the model's own vendor.
   * Otherwise the prices are unknown and completions carry no cost
   */
  readonly prices?: TokenPrices;
  /**
   * The time for which a server may be silent: before its answer, or before the next piece of a streamed one. Unit:
   * milliseconds.
   * @defaultValue 600,000
   */
  readonly timeoutMs?: number;
  /** @defaultValue three tries in all */
  readonly retry?: RetryOptions;
  /** Decides which prices are in force. @defaultValue the clock */
  readonly now?: () => Date;
  /** Imports the provider's package, by its name, at the first call. @defaultValue `import()` */
  readonly importModule?: ((name: string) => Promise<unknown>) | undefined;
}

/** The options of one attempt. */
export interface SendCall {
  /** Aborts when the caller aborts, and when the server is silent for too long. */
  readonly signal: AbortSignal;
  /** Each piece of the answer is passed to it. An adapter that streams only for its listeners streams if it is set. */
  readonly onDelta?: (delta: Delta) => void;
  /** The adapter calls it when a stream reports usage before its end. */
  readonly onUsage?: (usage: Usage, details: CostDetails) => void;
  /**
   * The adapter calls it for every event of a stream, including events without a delta (hidden thinking): they also end a
   * silence.
   */
  readonly onActivity: () => void;
  /** The time limit for the SDK's own timer, whose default can be shorter. Unit: milliseconds. */
  readonly timeoutMs: number;
}

/** The parts in which adapters differ. */
interface SdkAdapter<Client, Body, Response> {
  readonly provider: string;
  readonly facts: ModelFacts;
  /** The address of the server, resolved from options, environment and default. */
  readonly baseURL: string;
  /** Makes the SDK's client, with no retries of its own. */
  newClient(): Promise<Client>;
  /** Returns the keys that the client sends. */
  keysOf(client: Client): readonly (string | null)[];
  toRequest(request: CompletionRequest, client: Client): Body;
  /** Sends a request. Resolves to the same response object, streamed or not. */
  send(client: Client, body: Body, call: SendCall): Promise<Response>;
  /**
   * Reads the answer in a response.
   *
   * @param prices - those in force now
   * @throws {@link LLMError} when the response is not an answer.
   */
  fromResponse(response: Response, request: CompletionRequest, prices: TokenPrices | undefined): Completion;
  toLLMError(thrown: unknown, secrets: Secrets): LLMError;
  /** Has the provider count the tokens of a request. Absent if the provider has no such service. Unit: tokens. */
  countTokens?(client: Client, body: Body, call: SendCall): Promise<number>;
}

const defaultTimeoutMs = 600_000;
/** The SDK's timer gets a longer limit than ours, because its error does not say how long it waited. */
const sdkGraceMs = 1_000;

/**
 * Returns an {@link LLM} over a provider's package. The first call creates the client, and all calls share it.
 *
 * @throws {@link InvalidRequestError} when `timeoutMs` is not above 0, a number of `retry` is invalid, or the model
 *   does not take the `effort`.
 */
export function sdkLLM<Client, Body, Response>(
  options: SdkLLMOptions,
  adapter: SdkAdapter<Client, Body, Response>,
): LLM {
  const { model, retry = {}, now = () => new Date() } = options;
  const timeoutMs = Math.min(options.timeoutMs ?? defaultTimeoutMs, longestTimeoutMs);
  const { provider } = adapter;
  const wrong = timeoutMs > 0 ? retryOptionsProblem(retry) : `timeoutMs must be above 0, not ${timeoutMs}`;
  if (wrong !== undefined) throw new InvalidRequestError(`${provider}: ${wrong}`, { provider });
  effortOf({}, options, adapter.facts);
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
        `${provider}: the API key holds characters that are not allowed in an HTTP header, perhaps a line break`,
        { provider },
      );
    }
    return { client, secrets: secretsOf([...hidden, ...keys]) };
  };

  /** The adapter's error. It does not know the address, which is what a user can correct if nothing answers there. */
  const errorOf = (thrown: unknown, secrets: Secrets): LLMError => {
    const error = adapter.toLLMError(thrown, secrets);
    const failure = error.statusCode === undefined ? connectionFailure(thrown, adapter.baseURL) : undefined;
    if (failure === undefined) return error;
    const { cause } = error;
    const message = secrets.redact(`${provider}: ${failure.message}`);
    const { isLasting: refusesRetry, maxRetryMs } = failure;
    return new ServiceUnavailableError(message, { provider, cause, refusesRetry, maxRetryMs });
  };

  /** One exchange with the provider, with the retries of the options. */
  const exchange = async <Answer>(
    { signal, onDelta, onUsage, onRetry }: Pick<CompletionRequest, 'signal' | 'onDelta' | 'onUsage' | 'onRetry'>,
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
    /** An error that the caller's callback threw. It belongs to the caller and is not a failure of the provider. */
    let thrownByCaller: { readonly thrown: unknown } | undefined;
    const callListener = (listener: () => void): void => {
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
    const passDelta = (delta: Delta): void => {
      wasHeard = true;
      callListener(() => onDelta?.(delta));
    };
    const passUsage: SendCall['onUsage'] = (usage, details) => {
      wasHeard = true;
      const inForce = pricesNow();
      const cost = inForce === undefined ? {} : { costUsd: costOf(usage, inForce, details) };
      callListener(() => onUsage?.({ usage, ...cost }));
    };
    const tries: RetryOptions = {
      ...retry,
      onRetry: async (failure) => {
        await retry.onRetry?.(failure);
        await onRetry?.(failure);
        if (wasHeard) onDelta?.({ type: 'restart', reason: failure.error.message });
        wasHeard = false;
      },
    };
    return withRetries(tries, {
      signal,
      attempt: () =>
        endAfterSilence({ timeoutMs, signal, provider, baseURL: adapter.baseURL }, (attemptSignal, onActivity) =>
          ask(client, body, {
            signal: attemptSignal,
            onActivity,
            timeoutMs: timeoutMs + sdkGraceMs,
            ...(onDelta === undefined ? {} : { onDelta: passDelta }),
            ...(onUsage === undefined ? {} : { onUsage: passUsage }),
          }),
        )
          .catch((thrown: unknown) => {
            if (thrownByCaller !== undefined) throw thrownByCaller.thrown;
            throw LLMError.isInstance(thrown) ? thrown : errorOf(thrown, secrets);
          })
          // The abort wins however the attempt ended, even if an answer arrived at the same moment.
          .finally(() => signal?.throwIfAborted()),
      // If the callback throws one of our own error classes, the call still ends with it and is not retried.
      retryable: (thrown) =>
        thrownByCaller === undefined && LLMError.isInstance(thrown) && thrown.isRetryable ? thrown : undefined,
    });
  };

  const counts = new AnsweredCounts();
  const answerOf = (completion: Completion, request: CompletionRequest): Completion => {
    // Anthropic and OpenAI refuse a request that does not fit, so their counts need no check.
    const overflow =
      facts.provider === 'compatible'
        ? overflowInAnswer(completion, request, { provider, contextWindow, counts })
        : undefined;
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
      exchange(request, request, async (client, body, call) => {
        const deltas = call.onDelta === undefined ? undefined : wholeCharacters(call.onDelta);
        const listening = deltas === undefined ? call : { ...call, onDelta: deltas.add };
        const response = await adapter.send(client, body, listening);
        const completion = answerOf(adapter.fromResponse(response, request, pricesNow()), request);
        deltas?.end(completion.message);
        return completion;
      }),
    ...(count === undefined
      ? {}
      : {
          countTokens: (request: CompletionRequest) =>
            exchange(request.signal === undefined ? {} : { signal: request.signal }, request, count),
        }),
  };
}

/**
 * Returns the facts at an address. The table's window is the vendor's. Another server may run the same model with a
 * smaller window.
 */
function factsAt(vendor: Vendor | undefined, facts: ModelFacts, options: SdkLLMOptions): ModelFacts {
  if (facts.provider !== 'compatible' || vendor !== undefined) return facts;
  const { contextWindow: _, maxInputTokens: __, ...rest } = facts;
  return { ...rest, ...options.facts };
}

/** The names of `RetryOptions`; its numbers are checked where they are used. */
const retryNames = Object.keys({
  attempts: true,
  maxTotalMs: true,
  minDelayMs: true,
  maxDelayMs: true,
  maxRetryAfterMs: true,
  onRetry: true,
} satisfies Record<keyof RetryOptions, true>);

const isRetry: OptionCheck = (value) => {
  const unknown = isRecord(value) ? Object.keys(value).find((name) => !retryNames.includes(name)) : undefined;
  if (unknown !== undefined) return `an object of ${retryNames.join(', ')}: there is no option retry.${unknown}`;
  const onRetry = field(value, 'onRetry');
  return (
    isObject(value) ??
    (onRetry === undefined || isFunction(onRetry) === undefined ? undefined : 'with a function onRetry')
  );
};

/** The checks of the options that every adapter has. */
export const sdkOptionChecks: OptionChecks<SdkLLMOptions> = {
  // Which name is missing is said by `assertModel`.
  model: () => undefined,
  apiKey: isText,
  baseURL: isText,
  headers: isObject,
  maxOutputTokens: isCount,
  effort: isEffort,
  contextWindow: isCount,
  facts: isObject,
  prices: isObject,
  // What is wrong with the number is said where it is used.
  timeoutMs: (value) => (typeof value === 'number' ? undefined : 'a number of milliseconds'),
  retry: isRetry,
  now: isFunction,
  importModule: isFunction,
};
