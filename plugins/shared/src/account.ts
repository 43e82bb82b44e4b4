import { rereadsIn } from '@palimpsest/condensers';
import type { Event, EventId, LLMUsageEvent } from '@palimpsest/events';
import { totalInputTokens } from '@palimpsest/llm-adapters';
import { recallToolName } from '@palimpsest/relevance-tool';
import type { CachePrices, View } from '@palimpsest/view';
import { defaultPrices, ViewProjection } from '@palimpsest/view';
import { CondensationHistory } from '@palimpsest/view/inspect';
import type { CondensationDetails } from '@palimpsest/view/inspect';

/** The hidden text that the model got back, since a condensation and before the next one. Unit of the size: tokens. */
export interface CameBack {
  readonly results: number;
  /** Of these, answers of `recall`. */
  readonly recalled: number;
  readonly tokens: number;
}

/** A condensation, and what it has saved up to now. */
export interface CondensationAccount {
  readonly details: CondensationDetails;
  /** The requests since then, or until it was taken back. */
  readonly requests: number;
  readonly cameBack: CameBack;
  /** What it has saved, less what it has cost: text that was written again, and text that came back. Unit: input tokens. */
  readonly saved: number;
}

/** The condensations of a session, and its bill. */
export interface Account {
  /** Those that changed something, in order. */
  readonly condensations: readonly CondensationAccount[];
  /** Unit: input tokens. */
  readonly saved: number;
  /** What the requests have cost, as the provider counted. Unit: input tokens. */
  readonly paid: number;
  /** The tokens that the provider counts for an estimated one. 1 until it has counted. */
  readonly countedPerEstimated: number;
  /** The same for a token as the log's own view estimates: sizes of condensations are in these. */
  readonly countedPerLogged: number;
}

/** A server that reports a part of its prompts is not believed. */
const [leastFactor, mostFactor] = [0.25, 4];

/**
 * Returns what the condensations of a log have saved. Costs as much as three folds of the log.
 *
 * @param prices - as shares of the price of an input token: so is all that is returned
 * @param sent - the size of what is sent, as the model's own estimate says. @defaultValue as the log's
 */
export function accountOf(
  log: readonly Event[],
  { read, write, output = defaultPrices.output }: CachePrices = defaultPrices,
  sent?: number,
): Account {
  const history = new CondensationHistory(log);
  const usages = log.flatMap((event, index) => (event.type === 'llm-usage' ? [{ event, index }] : []));
  const countedPerEstimated = countedPerEstimatedIn(usages.map(({ event }) => event));
  const logged = history.view.tokens();
  const factor = countedPerEstimated * (sent === undefined || logged === 0 ? 1 : sent / logged);
  const places = new Map(log.map(({ id }, index) => [id, index]));
  const details = history.condensations.flatMap(({ id }) => {
    const one = history.details(id);
    return one === undefined || one.forgotten.length + one.masked.length === 0 ? [] : [one];
  });
  const backs = cameBackAfter(log, new Set(details.map(({ condensation }) => condensation.id)));
  const condensations = details.map((one): CondensationAccount => {
    const { condensation, revert, savedTokens, rewrittenTokens } = one;
    const from = places.get(condensation.id) ?? 0;
    const to = revert === undefined ? log.length : (places.get(revert.id) ?? log.length);
    const requests = usages.filter(({ index }) => index > from && index < to).length;
    const back = backs.get(condensation.id) ?? nothing;
    const again = back.tokens * write + back.requestTokens * read + back.outputTokens * output;
    const saved = (savedTokens * read * requests - rewrittenTokens * (write - read) - again) * factor;
    const { results, recalled, tokens } = back;
    return { details: one, requests, cameBack: { results, recalled, tokens: tokens * factor }, saved };
  });
  const paid = usages.reduce((sum, { event: { usage } }) => {
    const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
    return sum + uncachedInputTokens + cacheReadTokens * read + cacheWriteTokens * write + outputTokens * output;
  }, 0);
  return {
    condensations,
    saved: condensations.reduce((sum, { saved }) => sum + saved, 0),
    paid,
    countedPerEstimated,
    countedPerLogged: factor,
  };
}

interface Back extends CameBack {
  readonly requestTokens: number;
  readonly outputTokens: number;
}

const nothing: Back = { results: 0, recalled: 0, tokens: 0, requestTokens: 0, outputTokens: 0 };

/** Returns what came back, by the newest condensation before: of each list that was sent, since a later condensation hides it again. */
function cameBackAfter(log: readonly Event[], ids: ReadonlySet<EventId>): ReadonlyMap<EventId, Back> {
  const found = new Map<EventId, Back>();
  const projection = new ViewProjection();
  let newest: EventId | undefined;
  let after: number | undefined;
  let last: EventId | undefined;
  const look = (): void => {
    const { view } = projection;
    if (newest !== undefined) found.set(newest, sumOf(found.get(newest), backsIn(view, after)));
    after = last === undefined ? after : (view.positionOf(last) ?? after);
  };
  for (const event of log) {
    const isChange = event.type === 'condensation-revert' || ids.has(event.id);
    if (isChange) look();
    projection.append(event);
    if (ids.has(event.id)) newest = event.id;
    last = event.id;
  }
  look();
  return found;
}

function backsIn(view: View, after: number | undefined): readonly Back[] {
  return rereadsIn(view, { after }).map(({ index, tokens, requestTokens, outputTokens }) => {
    const name = view.callOf(view.events.at(index)?.id ?? '')?.toolCall.name ?? '';
    return { results: 1, recalled: isRecall(name) ? 1 : 0, tokens, requestTokens, outputTokens };
  });
}

function sumOf(before: Back = nothing, backs: readonly Back[]): Back {
  return backs.reduce(
    (sum, one) => ({
      results: sum.results + one.results,
      recalled: sum.recalled + one.recalled,
      tokens: sum.tokens + one.tokens,
      requestTokens: sum.requestTokens + one.requestTokens,
      outputTokens: sum.outputTokens + one.outputTokens,
    }),
    before,
  );
}

/** A host can put the name of its plugin before that of the tool. */
function isRecall(name: string): boolean {
  return name === recallToolName || name.endsWith(`_${recallToolName}`);
}

function countedPerEstimatedIn(usages: readonly LLMUsageEvent[]): number {
  let [counted, estimated] = [0, 0];
  for (const { usage, estimatedInputTokens = 0 } of usages) {
    if (estimatedInputTokens === 0) continue;
    counted += totalInputTokens(usage);
    estimated += estimatedInputTokens;
  }
  const factor = estimated === 0 ? 1 : counted / estimated;
  return factor < leastFactor || factor > mostFactor ? 1 : factor;
}
