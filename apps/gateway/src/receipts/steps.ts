import { modelFacts, totalInputTokens } from '@palimpsest/llm-adapters';
import type { Usage } from '@palimpsest/events';
import type { Receipt, Rereads } from './receipt.js';

/** A request that the provider has counted, with what it adds to the client's own list. Unit of the sizes: tokens, as the provider counts. */
export interface Step {
  readonly receipt: Receipt;
  readonly usage: Usage;
  /** The size of the list that was sent. */
  readonly sent: number;
  /** The client's list: this many tokens for each of the one before (another model counts otherwise), and these more. */
  readonly factor: number;
  readonly growth: number;
  /** The client's own list. */
  readonly held: number;
  readonly cache: CacheState;
  /** The results in {@link growth} that brought hidden text back, with their calls. @defaultValue none */
  readonly rereads?: Rereads | undefined;
}

/**
 * The provider's cache as a request has found it. `cold`: it held nothing of the conversation, after a long pause or for another model.
 * `rewritten`: the gateway has changed what it sends, so what the request has read says nothing of the client's own list. `warm`: any other.
 */
export type CacheState = 'cold' | 'rewritten' | 'warm';

/**
 * Returns the counted requests of a conversation, oldest first. Between two of them the client's list has grown by what the provider counts,
 * or, where the gateway has changed what it sends, by the estimated growth in the provider's tokens.
 *
 * @param receipts - those of one conversation, oldest first
 */
export function stepsOf(receipts: readonly Receipt[]): readonly Step[] {
  const counted = countedRequests(receipts);
  const ratio = growthRatio(counted);
  const steps: Step[] = [];
  for (const request of counted) {
    const { receipt, usage, sent } = request;
    const perEstimated = ratio ?? countedPerEstimated(request);
    const before = steps.at(-1);
    if (before === undefined) {
      // Of a conversation whose first receipts are gone, the hidden part is known by its estimate.
      const held = sent + Math.max(0, isWhole(receipt) ? 0 : receipt.held - receipt.sent) * perEstimated;
      steps.push({ receipt, usage, sent, factor: 1, growth: held, held, cache: 'warm' });
      continue;
    }
    const change = changeSince(before, request);
    const factor = change.isOtherModel ? countedPerEstimated(request) / countedPerEstimated(before) : 1;
    const growth = growthSince(before, request, { ...change, factor, perEstimated });
    const estimated = estimatedGrowth(before, receipt);
    const isCounted = !change.isOurs && !change.isOtherModel && estimated > 0;
    steps.push({
      receipt,
      usage,
      sent,
      factor,
      growth,
      held: Math.max(0, before.held * factor + growth),
      cache: cacheOf(steps, request, change),
      rereads: scaled(request.rereads, isCounted ? growth / estimated : perEstimated),
    });
  }
  return steps;
}

/** A request with a count, and what those before it leave to it that were not counted: an error, a broken answer. */
interface CountedRequest extends Pick<Receipt, 'isRewrite' | 'rereads'> {
  readonly receipt: Receipt;
  readonly usage: Usage;
  readonly sent: number;
}

function countedRequests(receipts: readonly Receipt[]): readonly CountedRequest[] {
  const counted: CountedRequest[] = [];
  let [isRewrite, rereads]: [boolean, Rereads | undefined] = [false, undefined];
  for (const receipt of receipts) {
    isRewrite ||= receipt.isRewrite || receipt.condensations.length > 0;
    if ((receipt.rereads?.results ?? 0) > 0) ({ rereads } = receipt);
    const { usage } = receipt;
    const sent = usage === undefined ? 0 : totalInputTokens(usage);
    if (usage === undefined || sent === 0) continue;
    counted.push({ receipt, usage, sent, isRewrite, rereads });
    [isRewrite, rereads] = [false, undefined];
  }
  return counted;
}

/** Returns true if what was sent is the client's own list. */
function isWhole({ way, inForce }: Receipt): boolean {
  return inForce === 0 || way === 'original' || way === 'passed';
}

interface Change {
  /** The gateway itself has changed the beginning of what it sends. */
  readonly isOurs: boolean;
  readonly isOtherModel: boolean;
}

function changeSince(before: Step, { receipt, isRewrite }: CountedRequest): Change {
  return {
    isOurs: isRewrite || (receipt.way === 'original') !== (before.receipt.way === 'original'),
    isOtherModel: receipt.model !== before.receipt.model,
  };
}

function growthSince(
  before: Step,
  { receipt, sent }: CountedRequest,
  { isOurs, isOtherModel, factor, perEstimated }: Change & { readonly factor: number; readonly perEstimated: number },
): number {
  if (isWhole(receipt)) return sent - before.held * factor;
  return isOurs || isOtherModel ? estimatedGrowth(before, receipt) * perEstimated : sent - before.sent;
}

/** A list that could not be read has no size: it is taken not to grow. Unit: tokens, as estimated. */
function estimatedGrowth({ receipt: before }: Step, { held }: Receipt): number {
  return held > 0 && before.held > 0 ? held - before.held : 0;
}

function countedPerEstimated({ receipt, sent }: Pick<CountedRequest, 'receipt' | 'sent'>): number {
  return receipt.sent > 0 ? sent / receipt.sent : 1;
}

/** Returns the counted tokens for an estimated one, by what grew where nothing was rewritten. Undefined if nothing did. */
function growthRatio(requests: readonly CountedRequest[]): number | undefined {
  let [counted, estimated] = [0, 0];
  let before: CountedRequest | undefined;
  for (const next of requests) {
    const isSame = before?.receipt.model === next.receipt.model && before.receipt.held > 0 && next.receipt.held > 0;
    if (before !== undefined && isSame && !next.isRewrite) {
      counted += next.sent - before.sent;
      estimated += next.receipt.held - before.receipt.held;
    }
    before = next;
  }
  return counted > 0 && estimated > 0 ? counted / estimated : undefined;
}

function scaled(rereads: Rereads | undefined, ratio: number): Rereads | undefined {
  return rereads && { ...rereads, tokens: rereads.tokens * ratio, outputTokens: rereads.outputTokens * ratio };
}

/** A request that reads less than this part of a common beginning has found the cache empty. */
const leastRead = 0.5;

/**
 * Says how a request has found the cache. Behind a change of ours the clock decides: a provider that is shown no mark near the change reads
 * nothing of a warm cache either.
 */
function cacheOf(earlier: readonly Step[], { receipt, usage, sent }: CountedRequest, { isOurs }: Change): CacheState {
  const before = earlier.at(-1) as Step;
  if (!isOurs) return usage.cacheReadTokens < Math.min(before.sent, sent) * leastRead ? 'cold' : 'warm';
  const last = earlier.findLast(({ receipt: { model } }) => model === receipt.model)?.receipt;
  const isKept = last !== undefined && Date.parse(receipt.at) - Date.parse(last.at) <= cacheLifeOf(last);
  return isKept ? 'rewritten' : 'cold';
}

/** Returns the time for which a provider keeps what a request has read or written, as far as it says so. Unit: milliseconds. */
function cacheLifeOf({ api, model, cacheWrites }: Receipt): number {
  const isLong = Object.values(cacheWrites ?? {}).some((tokens) => tokens > 0);
  if (isLong) return 3_600_000;
  return modelFacts(model, api === 'messages' ? 'anthropic' : 'openai').cacheLifeMs ?? Infinity;
}
