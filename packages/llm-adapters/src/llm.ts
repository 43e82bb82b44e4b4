import type { AssistantMessage, Message, ToolDefinition, Usage } from '@palimpsest/events';
import type { Delta } from './delta.js';
import type { ModelFacts } from './models/model-facts.js';
import type { TokenPrices } from './prices.js';

/**
 * A model behind a provider: messages in, one assistant message out. An implementation of your own needs nothing but
 * `model` and `complete`.
 */
export interface LLM {
  /** The model's name, as the provider knows it. */
  readonly model: string;
  /** What the model can read and write in one call. Unit: tokens. */
  readonly contextWindow?: number;
  /** What its tokens cost, at the time when this object was made. */
  readonly prices?: TokenPrices;
  /** What requests to it may hold; `facts.thinking` is how a view must render thinking for it. */
  readonly facts?: ModelFacts;
  /**
   * Asks the model once. When `signal` aborts, rejects with the signal's reason.
   *
   * @throws {@link LLMError}, of the class that says what to do about it.
   */
  complete(request: CompletionRequest): Promise<Completion>;
  /**
   * What a request would send, as the provider counts it. Unit: tokens. Absent where the provider counts for nobody: see the
   * subpath `./tokens`.
   *
   * @throws {@link LLMError} when the provider does not answer with a count.
   */
  countTokens?(request: CompletionRequest): Promise<number>;
}

/** What a model is asked. */
export interface CompletionRequest {
  /** The conversation. Every call is followed by its results, as a view renders it. */
  readonly messages: readonly Message[];
  /** @defaultValue none */
  readonly tools?: readonly ToolDefinition[];
  /** Only where there are tools. @defaultValue `auto` */
  readonly toolChoice?: ToolChoice;
  /** @defaultValue free text */
  readonly responseFormat?: JsonSchemaFormat;
  /** The longest answer, thinking included. Unit: tokens. @defaultValue the adapter's */
  readonly maxOutputTokens?: number;
  /** Hints for the provider's prompt cache. @defaultValue what the provider does by itself */
  readonly cache?: CacheHints;
  readonly signal?: AbortSignal;
  /**
   * Called with each piece of the answer as it arrives. The pieces together, those behind the last `restart`, are the
   * completion's message. An adapter that does not stream calls it when the answer is complete.
   */
  readonly onDelta?: (delta: Delta) => void;
  /**
   * Called with what the provider has counted so far of an answer on its way: the only word of what an answer has cost that
   * never becomes complete. Each call replaces the one before; after a `restart` it is about the new try. Many providers
   * count nothing before the end, and then it is never called.
   */
  readonly onUsage?: (counted: CountedUsage) => void;
}

/** What a provider has counted of an answer that is not complete. */
export interface CountedUsage {
  readonly usage: Usage;
  /** Unit: USD. Absent where the prices are not known. */
  readonly costUsd?: number;
}

/** Whether the model may, must not, or must call a tool; or the one that it must call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

/** The answer's text must be JSON of this schema. */
export interface JsonSchemaFormat {
  /** Names the schema to the model. */
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /**
   * Whether the provider holds the answer to the schema. True: it does, and refuses a schema that it cannot enforce. False:
   * it is asked to keep to it. @defaultValue true where the schema can be enforced, else false
   */
  readonly strict?: boolean;
}

/**
 * What an adapter may tell the provider's prompt cache. Hints only: a wrong one costs money and changes nothing else. An
 * adapter marks the last thing before a place that can carry a mark. {@link promptToSend} works the places out from what was
 * sent last.
 */
export interface CacheHints {
  /** The same for all calls of one conversation: steers them to the same cache. */
  readonly key?: string;
  /**
   * What the provider can have cached of this request: an earlier request of the conversation ended or was marked there, and
   * nothing before has changed since. @defaultValue unknown: the history is taken to have only grown
   */
  readonly cachedMessages?: CachePlace;
  /**
   * What stays as it is in later calls, also when something behind it is rewritten; several places: the most important first.
   * @defaultValue none
   */
  readonly stableMessages?: CachePlace | readonly CachePlace[];
}

/** A place in the conversation: behind so many of the first messages, or in the user's message that follows them. */
export type CachePlace =
  | number
  | {
      readonly messages: number;
      /** How many parts of the user's message. What is said in several events may be one message. */
      readonly parts: number;
    };

/** Why the answer ended. `other` is a reason that only one provider knows. */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other';

/** What a model answered. */
export interface Completion {
  /** Its content is empty where the model said nothing. */
  readonly message: AssistantMessage;
  /**
   * The provider's name for this answer, to look it up in the provider's own records. Servers repeat it, or send none, so it
   * tells no two answers apart. Absent where there is none or it is empty.
   */
  readonly providerResponseId?: string;
  readonly usage: Usage;
  /** True where the provider reported no usage and `usage` is our estimate. @defaultValue false */
  readonly usageIsEstimated?: boolean;
  readonly finishReason: FinishReason;
  /** The model that answered, which can be more precise than the one that was asked. */
  readonly model: string;
  /** What the call cost. Unit: USD. Absent where the prices are not known or the usage is an estimate. */
  readonly costUsd?: number;
}
