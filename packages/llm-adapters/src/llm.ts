import type { AssistantMessage, Message, ToolDefinition, Usage } from '@palimpsest/events';
import type { LLMError } from './errors.js';
import type { Effort, ModelFacts } from './models/model-behaviour.js';
import type { TokenPrices } from './prices.js';
import { isReadableInput } from './wire/tool-input.js';

/**
 * A model behind a provider: messages in, one assistant message out. A custom implementation needs only `model` and
 * `complete`.
 *
 * Its callers run only whole calls, and {@link wholeCalls} tells by the completion which are whole: by the
 * `finishReason`, which must not be natural for an answer that was cut, and by the raw text of `arguments`. An
 * implementation whose SDK or server hands over parsed arguments has no raw text, and says so with {@link CallState}
 * `parsed` in `callStates`. The lenient parsers of SDKs, which complete half an object, must not be used. `llmContract`
 * tests it.
 */
export interface LLM {
  /** The model's name, as the provider knows it. */
  readonly model: string;
  /** The model's limits for one call. Unit: tokens. */
  readonly contextWindow?: number;
  /** The prices of its tokens at the time when this object was created. */
  readonly prices?: TokenPrices;
  /**
   * The facts about what requests to the model may contain. `facts.thinking` says how a view must render thinking for
   * it.
   */
  readonly facts?: ModelFacts;
  /**
   * Calls the model once. When `signal` aborts, rejects with the signal's reason.
   *
   * @throws {@link LLMError} when the call fails; the class says what to do about it.
   */
  complete(request: CompletionRequest): Promise<Completion>;
  /**
   * Counts the input of a request at the provider. Unit: tokens. Absent if the provider has no such service: see the subpath
   * `./tokens`.
   *
   * @throws {@link LLMError} when the provider does not answer with a count.
   */
  countTokens?(request: CompletionRequest): Promise<number>;
}

/** A request to a model. */
export interface CompletionRequest {
  /** The conversation, as a view renders it: every call is followed by its results. */
  readonly messages: readonly Message[];
  /** @defaultValue none */
  readonly tools?: readonly ToolDefinition[];
  /** Sent only if there are tools. @defaultValue `auto` */
  readonly toolChoice?: ToolChoice;
  /** @defaultValue free text */
  readonly responseFormat?: JsonSchemaFormat;
  /** The longest answer, thinking included. Unit: tokens. @defaultValue the adapter's */
  readonly maxOutputTokens?: number;
  /**
   * The effort that the model spends on the answer. An adapter refuses an effort that the model does not take.
   * @defaultValue the adapter's
   */
  readonly effort?: Effort;
  /** Hints for the provider's prompt cache. @defaultValue the provider's automatic caching */
  readonly cache?: CacheHints;
  readonly signal?: AbortSignal;
  /**
   * Called with each piece of the answer as it arrives. The pieces after the last `restart` add up to the completion's
   * message. An adapter that does not stream calls it when the answer is complete.
   */
  readonly onDelta?: (delta: Delta) => void;
  /**
   * Called with the usage that the provider has reported so far for a streamed answer. For an answer that never becomes
   * complete, this is the only report of its cost. Each call replaces the previous one; after a `restart` the usage is
   * that of the new try. Many providers report nothing before the end; then it is never called.
   */
  readonly onUsage?: (counted: CountedUsage) => void;
  /**
   * Called before each wait with the failure that is retried. If it returns a promise, the next try waits for that,
   * too. An error that it throws or rejects with ends the call. @defaultValue nobody is told
   */
  readonly onRetry?: (failure: FailedAttempt) => unknown;
  /** Called once when the request has to wait for a {@link RateLimit}. It must not throw. @defaultValue nobody is told */
  readonly onWait?: (wait: RateWait) => void;
}

/** A failed try that is retried. */
export interface FailedAttempt {
  /** Counted from 1. */
  readonly attempt: number;
  /** `Infinity` if only the time is limited. */
  readonly attempts: number;
  /** The time for which tries go on after this failure. Unit: milliseconds. Absent if only their number is limited. */
  readonly remainingMs?: number;
  readonly error: LLMError;
  /** The wait before the next. Unit: milliseconds. */
  readonly delayMs: number;
}

/** A wait for a `RateLimit` that begins. */
export interface RateWait {
  /** The number of calls of this process that come first. */
  readonly ahead: number;
  /** The shortest possible wait. Unit: milliseconds. */
  readonly waitMs: number;
}

/** The usage that a provider has reported for an incomplete answer. */
export interface CountedUsage {
  readonly usage: Usage;
  /** Unit: USD. Absent if the prices are unknown. */
  readonly costUsd?: number;
}

/** The rule for calls of an answer: the model may, must not or must call a tool, or must call this one. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

/** The answer's text must be JSON of this schema. */
export interface JsonSchemaFormat {
  /** Names the schema to the model. */
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /**
   * True: the provider enforces the schema, and refuses a schema that it cannot enforce. False: the model is only asked to follow
   * it. @defaultValue true if the schema can be enforced, else false
   */
  readonly strict?: boolean;
}

/**
 * Hints for the provider's prompt cache. A wrong hint costs money and changes nothing else. An adapter marks the last block
 * before a place that can carry a mark. {@link promptToSend} computes the places from the prompt that was sent last.
 */
export interface CacheHints {
  /** A key that all calls of one conversation share: it routes them to the same cache. */
  readonly key?: string;
  /**
   * The end of the prefix that the provider can have cached: an earlier request of the conversation ended or was marked
   * there, and nothing before it has changed since. @defaultValue unknown: adapters assume that the history has only
   * grown
   */
  readonly cachedMessages?: CachePlace;
  /**
   * The ends of prefixes that later calls keep even if the messages after them are rewritten. The most important place comes
   * first.
   * @defaultValue none
   */
  readonly stableMessages?: CachePlace | readonly CachePlace[];
}

/** A place in the conversation: after the first `messages` messages, or inside the user message that follows them. */
export type CachePlace =
  | number
  | {
      readonly messages: number;
      /** The number of parts of the user message before the place. One message can hold the text of several events. */
      readonly parts: number;
    };

/**
 * The reason for which an answer ended. With `stop` and `tool-calls` the model had finished: the answer ended
 * naturally. With `length` it reached its limit of tokens, with `interrupted` the server broke it off, with `paused`
 * the provider waits for the same request again and then goes on. `other` is a reason that only one provider knows.
 */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'paused' | 'interrupted' | 'other';

/**
 * The knowledge that an adapter has of one call besides the text of its arguments.
 *
 * - `as-written`: `arguments` is the raw text as it came, and its text says whether the call is whole.
 * - `complete`: the wire said that the call is complete. Needed where the text cannot say it: an empty text that
 *   another block followed, the free text of a custom tool.
 * - `parsed`: no raw text. `arguments` was written from values that an SDK or a server had parsed.
 * - `cut`: the wire said that the call is not complete.
 */
export type CallState = 'as-written' | 'complete' | 'parsed' | 'cut';

/** The answer of a model. */
export interface Completion {
  /** Its content is empty if the model wrote no text. */
  readonly message: AssistantMessage;
  /**
   * The state of each call, in the order of `message.toolCalls`: for all of them or absent. {@link wholeCalls} reads it.
   * @defaultValue `as-written` for each call
   */
  readonly callStates?: readonly CallState[];
  /**
   * The provider's id of this answer, for a look-up in the provider's records. It does not identify an answer, because some
   * servers repeat it or send none. Absent if there is none or it is empty.
   */
  readonly providerResponseId?: string;
  readonly usage: Usage;
  /** True if the provider reported no usage, so that `usage` is our estimate. @defaultValue false */
  readonly usageIsEstimated?: boolean;
  readonly finishReason: FinishReason;
  /** The model that answered; its name can be more precise than the requested one. */
  readonly model: string;
  /** The cost of the call. Unit: USD. Absent if the prices are unknown or the usage is an estimate. */
  readonly costUsd?: number;
}

/**
 * A piece of a streamed answer, which never ends within a character. Tool calls are identified by their index; `id` and
 * `name` come with the first piece of a call.
 *
 * `restart` is not a piece: the connection was lost, and the model is asked again. The deltas of this answer so far are
 * void. The deltas that follow belong to a new answer, whose calls are counted from 0 again.
 */
export type Delta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      /** The next piece of the arguments' JSON text. */
      readonly arguments: string;
    }
  | {
      readonly type: 'restart';
      /** The reason: the message of the error in which the try ended. */
      readonly reason: string;
    };

/** Returns a complete answer as deltas, for adapters that do not stream. */
export function deltasFromMessage(message: AssistantMessage): readonly Delta[] {
  const thinking = (message.thinkingBlocks ?? []).flatMap((block) =>
    block.type === 'thinking' ? [block.thinking] : [],
  );
  if (message.reasoningContent !== undefined) thinking.push(message.reasoningContent);
  return [
    ...thinking.filter((text) => text !== '').map((text) => ({ type: 'thinking' as const, text })),
    ...message.content.flatMap((part) => (part.type === 'text' ? [{ type: 'text' as const, text: part.text }] : [])),
    ...(message.toolCalls ?? []).map(({ id, name, arguments: text }, index) => ({
      type: 'tool-call' as const,
      index,
      id,
      name,
      arguments: text,
    })),
  ];
}

/** Listens to the deltas of one try, and hands them out without a character that is split over two of them. */
interface WholeCharacters {
  readonly add: (delta: Delta) => void;
  /** Hands out what is left. If no delta came, because a server did not stream, hands out the message. */
  readonly end: (message: AssistantMessage) => void;
}

/**
 * Holds back the first half of a surrogate pair until the next piece of the same text brings the other. Servers split
 * text between any two UTF-16 units, and a listener that writes each piece as UTF-8 would write two U+FFFD for one
 * character.
 */
export function wholeCharacters(onDelta: (delta: Delta) => void): WholeCharacters {
  /** The first halves that wait, by what they are a piece of. */
  const held = new Map<string, Exclude<Delta, { readonly type: 'restart' }>>();
  let isSilent = true;
  const add = (delta: Delta): void => {
    isSilent = false;
    if (delta.type === 'restart') return onDelta(delta);
    const key = delta.type === 'tool-call' ? `${delta.index}` : delta.type;
    const before = held.get(key);
    const text = (before === undefined ? '' : textIn(before)) + textIn(delta);
    const half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? '';
    const now = text.slice(0, text.length - half.length);
    if (half === '') held.delete(key);
    else
      held.set(
        key,
        delta.type === 'tool-call'
          ? { type: 'tool-call', index: delta.index, arguments: half }
          : { ...delta, text: half },
      );
    if (delta.type === 'tool-call') onDelta({ ...delta, arguments: now });
    else if (now !== '') onDelta({ ...delta, text: now });
  };
  return {
    add,
    end: (message) => {
      if (isSilent) deltasFromMessage(message).forEach(add);
      held.forEach((half) => onDelta(half));
    },
  };
}

function textIn(delta: Exclude<Delta, { readonly type: 'restart' }>): string {
  return delta.type === 'tool-call' ? delta.arguments : delta.text;
}

/** Returns true if the model had finished its answer, and neither a limit nor a provider ended it. */
export function endedNaturally(reason: FinishReason): boolean {
  return reason === 'stop' || reason === 'tool-calls';
}

/**
 * Returns for each call of an answer whether it is whole, in the order of `message.toolCalls`. Only a whole call may be
 * run.
 *
 * A call whose raw text is a JSON object is whole, because no proper prefix of an object is one. Empty text is whole if
 * the answer ended naturally or another call followed. Text that is not JSON can be repaired only after a natural end.
 * Without raw text, the last call of an answer that did not end naturally is never whole. After a content filter no
 * call is whole.
 */
export function wholeCalls({ message, finishReason, callStates = [] }: Completion): readonly boolean[] {
  const calls = message.toolCalls ?? [];
  return calls.map(({ arguments: text }, index) => {
    if (finishReason === 'content-filter') return false;
    const isLast = index === calls.length - 1;
    switch (callStates[index] ?? 'as-written') {
      case 'complete':
        return true;
      case 'cut':
        return false;
      case 'parsed':
        return endedNaturally(finishReason) || !isLast;
      case 'as-written':
        if (endedNaturally(finishReason)) return true;
        return text.trim() === '' ? !isLast : isReadableInput(text);
    }
  });
}

/** Returns an {@link LLM} that asks another one, and is described as that one is. */
export function llmAround(
  llm: LLM,
  own: Pick<LLM, 'complete'> & {
    /** Returns the request that is counted. @defaultValue the request */
    readonly toRequest?: (request: CompletionRequest) => CompletionRequest;
  },
): LLM {
  const { model, contextWindow, prices, facts, countTokens } = llm;
  const { complete, toRequest = (request) => request } = own;
  return {
    model,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(prices === undefined ? {} : { prices }),
    ...(facts === undefined ? {} : { facts }),
    complete,
    ...(countTokens === undefined
      ? {}
      : { countTokens: (request: CompletionRequest) => countTokens.call(llm, toRequest(request)) }),
  };
}
