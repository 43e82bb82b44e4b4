import type { Condensation } from '@palimpsest/events';
import type { View } from './view.js';

/** What a condenser is told besides the view. Unit of all numbers: tokens. */
export interface CondenseContext {
  /** Aborted when nobody waits for the result any more. */
  readonly signal?: AbortSignal | undefined;
  /** The window of the model that will read the view. @defaultValue unknown: policies that need it do not act */
  readonly contextWindow?: number | undefined;
  /** What the model may answer. */
  readonly maxOutputTokens?: number | undefined;
  /** What is sent beside the view: system prompt and tools. */
  readonly fixedTokens?: number | undefined;
  /**
   * The host only wants to see the view: a `Condensation` is not appended. A condenser that would make one returns the view, and asks
   * no model. @defaultValue false
   */
  readonly preview?: boolean | undefined;
  /**
   * Tells the host what was tried. The host may append it to the log as a `condensation-attempt`. Call it as
   * `context.report?.(…)`. @defaultValue nobody is told
   */
  readonly report?: ((attempt: AttemptReport) => void) | undefined;
}

/** What a condenser tells of an attempt. */
export interface AttemptReport {
  /** What came of it, in one word: `failed`, `retried`, `unavailable`. */
  readonly outcome: string;
  /** Why, in words for people. */
  readonly reason: string;
  /** What a policy reads when it is asked again, and what it cost. Plain JSON. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A policy of condensation. A host calls `condense` once before each model call.
 *
 * 1. The view is read-only. Return it, a view made from it, or a `Condensation`; after a `Condensation` the host's step ends.
 * 2. Cut only at the view's cut points. `condensation({ view, start, end })` does, and keeps what is protected: a host refuses
 *    a condensation that forgets it ({@link condensationProblem}).
 * 3. It settles: applied to its own result it soon returns the view. A `Condensation` forgets or masks something.
 * 4. No state between calls: what must be remembered goes into the log, as `Condensation.metadata` or by `context.report`.
 * 5. When it must act and cannot, it throws {@link NoCondensationAvailableError}.
 */
export interface Condenser {
  /** Appears in the log and in the metadata of its condensations. */
  readonly name: string;
  /** It acts when the view has an unhandled request, or throws. @defaultValue false */
  readonly handlesCondensationRequests?: boolean | undefined;
  /** It returns a different view on each step, so that provider caches are rewritten each time. @defaultValue false */
  readonly rewritesEveryStep?: boolean | undefined;
  /**
   * False: it forgets the user's words too, which are protected by default (first and latest message). A host makes up for the
   * latest ones. The instructions in force and what is pinned stay all the same. @defaultValue true
   */
  readonly protects?: boolean | undefined;
  condense(view: View, context: CondenseContext): Promise<View | Condensation> | View | Condensation;
}

/** True for the condensation among a condenser's two kinds of result; false for a view and for anything else. */
export function isCondensation(result: unknown): result is Condensation {
  return typeof result === 'object' && result !== null && 'type' in result && result.type === 'condensation';
}
