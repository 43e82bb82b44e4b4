import type { TokenPrices } from '@palimpsest/llm-adapters';
import type { Usage } from '@palimpsest/events';
import type { Step } from './steps.js';

/** A request as the provider would have counted it, at its prices. */
export interface PricedRequest {
  readonly usage: Usage;
  readonly cacheWrites: Readonly<Record<string, number>>;
  /** @defaultValue not known, or a subscription pays */
  readonly prices: TokenPrices | undefined;
}

/**
 * The part of its window from which an agent would have compacted its list by itself: Codex and Claude Code do so at 80 to 95 %. What a
 * larger list would have cost is not known. Unit: share of the window.
 */
export const compactsFrom = 0.8;

/** Returns true if the client's own list is so large that the agent alone would have compacted it. */
export function isBeyondWindow({ held, receipt: { window } }: Step): boolean {
  return window !== undefined && held > window * compactsFrom;
}

/** Returns what a request has cost, and in which kinds of tokens. */
export function requestOf({ receipt, usage }: Step): PricedRequest {
  const { cacheWrites = {}, prices, isSubscription } = receipt;
  return { usage, cacheWrites, prices: isSubscription ? undefined : prices };
}

/**
 * Returns the requests that the agent would have made without the gateway: the client's own list, read from the cache as far as its own
 * requests before held it, and paid for the rest as the real request paid for what was new to it. From the first list on that the agent alone
 * would have compacted, the real requests stand there: nothing is known of what they would have been.
 *
 * @param options.rereads - `left-out`: the results that brought hidden text back, with their calls, and the requests made for nothing else.
 * `made`: as the agent made them.
 */
export function counterfactual(
  steps: readonly Step[],
  { rereads: treatment }: { readonly rereads: 'left-out' | 'made' },
): readonly PricedRequest[] {
  const requests: PricedRequest[] = [];
  /** The control's list, and the longest that it has sent. Unit: tokens, as the provider counts. */
  let [size, longest] = [0, 0];
  const unknownFrom = steps.findIndex(isBeyondWindow);
  for (const [index, step] of steps.entries()) {
    if (unknownFrom !== -1 && index >= unknownFrom) {
      requests.push(requestOf(step));
      continue;
    }
    const rereads = treatment === 'left-out' ? step.rereads : undefined;
    const last = requests.at(-1);
    if (rereads?.isAlone === true && last !== undefined) {
      // The request before was made for the re-read alone. This answer would have been the answer to it.
      requests[requests.length - 1] = withOutput(last, step.usage.outputTokens);
      continue;
    }
    if (rereads !== undefined && last !== undefined)
      requests[requests.length - 1] = withOutput(last, last.usage.outputTokens - rereads.outputTokens);
    size = Math.max(0, size * step.factor + step.growth - (rereads?.tokens ?? 0));
    const read = {
      cold: step.usage.cacheReadTokens,
      rewritten: longest * step.factor,
      warm: size - freshIn(step) + (rereads?.tokens ?? 0),
    };
    requests.push(controlRequest(step, size, read[step.cache]));
    longest = Math.max(longest * step.factor, size);
  }
  return requests;
}

/** Returns the tokens that a request did not read from the cache. */
function freshIn({ usage }: Step): number {
  return usage.uncachedInputTokens + usage.cacheWriteTokens;
}

/** Returns a request of so many tokens. What it does not read it pays as the real request paid what it did not read. */
function controlRequest(step: Step, size: number, cached: number): PricedRequest {
  const { usage, cacheWrites, prices } = requestOf(step);
  const read = Math.min(size, Math.max(0, cached));
  const fresh = freshIn(step);
  const scale = fresh === 0 ? 0 : (size - read) / fresh;
  return {
    usage: {
      uncachedInputTokens: fresh === 0 ? size - read : usage.uncachedInputTokens * scale,
      cacheReadTokens: read,
      cacheWriteTokens: usage.cacheWriteTokens * scale,
      outputTokens: usage.outputTokens,
    },
    cacheWrites: Object.fromEntries(Object.entries(cacheWrites).map(([life, tokens]) => [life, tokens * scale])),
    prices,
  };
}

function withOutput(request: PricedRequest, outputTokens: number): PricedRequest {
  return { ...request, usage: { ...request.usage, outputTokens: Math.max(0, outputTokens) } };
}
