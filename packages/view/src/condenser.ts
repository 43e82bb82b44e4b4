import type { Condensation, Message, ToolDefinition } from '@palimpsest/events';
import type { View } from './view.js';

/**
 * The prices of tokens for a model's host. Unit: the price of an input token that is neither read from a cache nor
 * written to one.
 */
export interface CachePrices {
  /** A token that is read from the prompt cache: 0.1, 0.05. */
  readonly read: number;
  /** A token that is sent for the first time and written to the prompt cache: 1, 1.25. */
  readonly write: number;
  /** A token that the model writes. @defaultValue 5 */
  readonly output?: number | undefined;
}

/** The prices that policies assume where the host names none: a token costs 1.25 when written and 0.05 when read again. */
export const defaultPrices: Required<CachePrices> = { read: 0.05, write: 1.25, output: 5 };

/**
 * The request that a host would send with a view: all that its model reads, so that a question behind it is read from the prompt
 * cache.
 */
export interface AgentRequest {
  /** The model that the request goes to, as its provider knows it. */
  readonly model: string;
  /** The instructions and the history, as they are sent. */
  readonly messages: readonly Message[];
  /** @defaultValue none */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** The longest answer. Unit: tokens. @defaultValue the host's model client decides */
  readonly maxOutputTokens?: number | undefined;
  /** The hints for the prompt cache that the host sends along, as `CacheHints` of `@palimpsest/llm-adapters`. @defaultValue none */
  readonly cache?:
    | {
        readonly key?: string;
        readonly cachedMessages?: number | { readonly messages: number; readonly parts: number };
      }
    | undefined;
}

/** The input of a condenser besides the view. Unit of all numbers: tokens. */
export interface CondenseContext {
  /** Aborted when the host no longer needs the result. */
  readonly signal?: AbortSignal | undefined;
  /** The context window of the model that reads the view. @defaultValue unknown: policies that need it do not act */
  readonly contextWindow?: number | undefined;
  /** The maximum size of the model's answer. */
  readonly maxOutputTokens?: number | undefined;
  /**
   * The size of what is sent beside the view: the tools, and a system prompt that the view does not hold. Estimated as the view
   * estimates. What the view holds is not counted here. @defaultValue 0
   */
  readonly fixedTokens?: number | undefined;
  /**
   * The prices of cached and new input of the model that reads the view. @defaultValue unknown: {@link defaultPrices}
   */
  readonly prices?: CachePrices | undefined;
  /**
   * The time for which the provider keeps a prompt prefix that is not used. Unit: milliseconds. @defaultValue unknown:
   * the cache is taken to be warm
   */
  readonly cacheLifeMs?: number | undefined;
  /**
   * The time of the next model call, ISO 8601. A host that states it decides by what its log does not hold: a replay must state it
   * too. @defaultValue the timestamp of the newest event
   */
  readonly now?: string | undefined;
  /**
   * The request that the host would send with a view: the messages, tools and cache key of the agent's last request,
   * and what has come since. A condenser that asks the same model can send it with a question behind it, so that its
   * input is a cache read. Free of effects.
   * @defaultValue unknown: a condenser's model is asked in a request of its own
   */
  readonly agentRequest?: ((view: View) => AgentRequest) | undefined;
  /**
   * The matter that the user wants a requested condensation to keep in view, in their own words: trusted as their
   * messages are. A condenser that asks a model passes it on, and a digest prefers
   * the lines that hold its words; any other ignores it. A host takes it from a request of
   * the user, never from a tool or a model.
   * @defaultValue the user said nothing
   */
  readonly focus?: string | undefined;
  /**
   * The host only displays the view and appends no `Condensation`. The condenser returns a view and calls no model.
   * @defaultValue false
   */
  readonly preview?: boolean | undefined;
  /**
   * Reports an attempt to the host. The host may append it to the log as a `condensation-attempt`. Call it as
   * `context.report?.(…)`. @defaultValue attempts are not reported
   */
  readonly report?: ((attempt: AttemptReport) => void) | undefined;
  /**
   * Called by a condenser that has returned the view and goes on in the background: the next call takes the result. A host that makes
   * no next call soon, because its run ends, waits for it and calls once more. @defaultValue a result that no later call takes is lost
   */
  readonly onPending?: ((pending: PendingCondensation) => void) | undefined;
}

/** A result that a condenser makes in the background. */
export interface PendingCondensation {
  /** Resolves when the result can be taken, also when nothing came of it. Never rejects. */
  readonly ready: Promise<void>;
  /** Returns true if a later call has taken it, or it was thrown away. */
  isTaken(): boolean;
}

/** A condenser's report of one attempt. */
export interface AttemptReport {
  /** The outcome in one word: `failed`, `retried`, `unavailable`. */
  readonly outcome: string;
  /** The reason, for people. */
  readonly reason: string;
  /** The cost, and data that the policy reads at its next call. Plain JSON. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A policy of condensation. A host calls `condense` once before each model call.
 *
 * 1. The view is read-only. Return it, a view made from it, or a `Condensation`; after a `Condensation` the host's step ends.
 * 2. Cut only at the view's cut points. `condensation({ view, start, end })` does so and keeps protected events: a host rejects
 *    a condensation that forgets one ({@link condensationProblem}).
 * 3. Settle: return the view after a few of your own condensations. An empty `Condensation` ends the step like any other. After
 *    three in a row a host calls the model with the view as it is.
 * 4. Keep no state between calls. Store what the next call needs in the log: in `Condensation.metadata` or by `context.report`.
 * 5. If the condenser must act but cannot, it throws {@link NoCondensationAvailableError}.
 */
export interface Condenser {
  /** Appears in the log and in the metadata of its condensations. */
  readonly name: string;
  /** The condenser acts or throws if the view has an unhandled condensation request. @defaultValue false */
  readonly handlesCondensationRequests?: boolean | undefined;
  /**
   * The condenser returns a different view on each step, so that the provider's cache is rewritten each time. @defaultValue
   * false
   */
  readonly rewritesEveryStep?: boolean | undefined;
  /**
   * If `false`, the condenser may also forget the user's messages that are protected by default. A host then adds the latest message
   * to the request. The instructions in force, set-up and pinned events stay protected. @defaultValue true
   */
  readonly protects?: boolean | undefined;
  /**
   * The longest time that a decision may take by the condenser's own deadlines. A host with a shorter deadline waits as long. Unit:
   * milliseconds. @defaultValue the sum of its stages; else the host's deadline holds
   */
  readonly timeoutMs?: number | undefined;
  /** The condensers that this one runs. @defaultValue it runs none */
  readonly stages?: readonly Condenser[] | undefined;
  condense(view: View, context: CondenseContext): Promise<View | Condensation> | View | Condensation;
}

/** Returns true if a condenser's result is a condensation; false for a view and for any other value. */
export function isCondensation(result: unknown): result is Condensation {
  return typeof result === 'object' && result !== null && 'type' in result && result.type === 'condensation';
}

/** The change that a reducer would make to a view, from sizes alone. Unit: tokens, as the view estimates. */
export interface Reduction {
  /**
   * The size by which the view would be smaller. What a condensation never forgets (`keptEventIds` of
   * `@palimpsest/view`) is not saved.
   */
  readonly savedTokens: number;
  /**
   * The size that the prompt cache would have to write again: everything behind the first change, a new summary
   * included. The newest step is not counted, because it is written anyway.
   */
  readonly rewrittenTokens: number;
  /**
   * The share of each new token that the reducer would save in the next steps: 1 if it reduces to a target. 0 if it
   * saves nothing of what is new, and so gains nothing by waiting: it acts at once where writing again costs nothing.
   * @defaultValue 1
   */
  readonly savedShare?: number | undefined;
  /**
   * The tokens that the calls so far have read of `savedTokens`, without the call that is about to be made. Unit:
   * tokens, summed over calls.
   * @defaultValue what follows from `savedShare` and the sizes of the view at the calls since the last condensation
   */
  readonly readTokens?: number | undefined;
  /** The most that the reducer's own model reads, uncached. @defaultValue 0: it asks no model */
  readonly modelInputTokens?: number | undefined;
  /** The most that the reducer's own model writes. @defaultValue 0 */
  readonly modelOutputTokens?: number | undefined;
}

/**
 * A condenser that can be told when to act. `pricedCondenser` of `@palimpsest/condensers` asks it at each step what it would save, and
 * lets it act when that pays. Used alone, it acts by its own triggers.
 *
 * 1. `estimate` is called at each step: it costs O(1), or O(new events), calls no model and writes nothing.
 * 2. `reduce` condenses now, whether or not a trigger of its own is met. It is asked only after an estimate that was not undefined. If
 *    it cannot keep what the estimate promised, it is not asked again before the view has grown by 64 events.
 * 3. `show`, where there is one, is asked before `estimate`, at each step, also for a preview.
 * 4. All depend on the view and the context alone.
 */
export interface Reducer extends Condenser {
  /**
   * The view as the model is to read it in any case, with changed copies of events. What it hides is in no ledger, so it leaves to
   * `reduce` what saves tokens. @defaultValue the view as it is
   */
  show?(view: View, context: CondenseContext): View;
  /** Returns the change that `reduce` would make to this view. Undefined if it would make none. */
  estimate(view: View, context: CondenseContext): Reduction | undefined;
  /** @throws {@link NoCondensationAvailableError} when nothing can be condensed. */
  reduce(view: View, context: CondenseContext): Condensation | Promise<Condensation>;
}

/** Returns true for a condenser that can be told when to act. */
export function isReducer(condenser: Condenser): condenser is Reducer {
  const { estimate, reduce } = condenser as Partial<Reducer>;
  return typeof estimate === 'function' && typeof reduce === 'function';
}
