import type { CondensedCall, Meter } from './replayed-call.js';

/** A request that is larger than the window. */
export interface Overflow {
  readonly modelCall: number;
  /** Of the request. Unit: tokens. */
  readonly tokens: number;
  /** What the condenser did at this call. */
  readonly did: string;
}

/** The requests of one replay, and what was done before them. */
export interface Requests {
  readonly modelCalls: number;
  /** Of all requests. Unit: tokens. */
  readonly tokensSent: number;
  /** Of the largest request. Unit: tokens. */
  readonly peakTokens: number;
  /** Of each request, in the order of the calls. Unit: tokens. */
  readonly tokensByCall: readonly number[];
  /** The calls before which it condensed. */
  readonly condensedAt: readonly number[];
  readonly eventsInViewAtEnd: number;
  readonly condensations: number;
  /** Calls whose messages do not begin with all that the call before them was sent. */
  readonly prefixRewrites: number;
  /** The calls of `prefixRewrites`. */
  readonly rewrittenAt: readonly number[];
  /** Calls whose request is larger than the window. */
  readonly overflows: number;
  /** The first few overflows. */
  readonly overflowed: readonly Overflow[];
  /** Calls at which the condenser failed; the view was sent as it was. */
  readonly condenserErrors: readonly { readonly modelCall: number; readonly message: string }[];
  /** Time spent in our code: folding, condensing and rendering. Unit: milliseconds. */
  readonly milliseconds: number;
}

const overflowsKept = 5;

/** Counts the requests of a replay. The result holds the tokens that a cache served, too. @param contextWindow - Unit: tokens. */
export function requestMeter(contextWindow = Infinity): Meter<Requests & { readonly cacheRead: number }> {
  const tokensByCall: number[] = [];
  const [condensedAt, rewrittenAt]: [number[], number[]] = [[], []];
  const overflowed: Overflow[] = [];
  const condenserErrors: { readonly modelCall: number; readonly message: string }[] = [];
  let [cacheRead, condensations, overflows, milliseconds, eventsInViewAtEnd] = [0, 0, 0, 0, 0];
  return {
    atCall: ({ index, view, prompt, ...call }) => {
      tokensByCall.push(prompt.tokens);
      cacheRead += prompt.cached;
      condensations += call.condensations.length;
      if (call.condensations.length > 0) condensedAt.push(index);
      if (prompt.rewrites) rewrittenAt.push(index);
      condenserErrors.push(...call.errors.map((message) => ({ modelCall: index, message })));
      if (prompt.tokens > contextWindow && overflows++ < overflowsKept)
        overflowed.push({ modelCall: index, tokens: prompt.tokens, did: reactionOf(call) });
      milliseconds += call.milliseconds;
      eventsInViewAtEnd = view.events.length;
    },
    result: () => ({
      modelCalls: tokensByCall.length,
      tokensSent: tokensByCall.reduce((sum, tokens) => sum + tokens, 0),
      peakTokens: tokensByCall.reduce((largest, tokens) => Math.max(largest, tokens), 0),
      tokensByCall,
      cacheRead,
      condensedAt,
      eventsInViewAtEnd,
      condensations,
      prefixRewrites: rewrittenAt.length,
      rewrittenAt,
      overflows,
      overflowed,
      condenserErrors,
      milliseconds,
    }),
  };
}

/** Says what a condenser did at a call whose request is too large all the same. */
function reactionOf(call: Pick<CondensedCall, 'condensations' | 'errors' | 'attempts'>): string {
  const [error] = call.errors;
  const attempt = call.attempts.at(-1);
  if (error !== undefined) return `it failed: ${error}`;
  if (attempt !== undefined) return `it reported '${attempt.outcome}': ${attempt.reason}`;
  return call.condensations.length > 0 ? 'it condensed, and that was not enough' : 'nothing';
}
