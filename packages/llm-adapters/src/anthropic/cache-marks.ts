import type Anthropic from '@anthropic-ai/sdk';
import type { CacheHints } from '../llm.js';
import type { ModelFacts } from '../models/model-facts.js';
import { distinctPlaces, isBefore, stablePlaces } from '../wire/cache-place.js';
import type { PartPlace } from '../wire/cache-place.js';
import type { Block, Turn, Turns } from './turns.js';

/** @see provider-rules A.7 */
const maxBreakpoints = 4;

/** The number of blocks before a breakpoint that the provider searches for a cached prefix. @see provider-rules A.7 */
const lookBack = 20;

/** The parts of a body that the provider caches, in its order. */
interface CachedParts {
  readonly tools: readonly Anthropic.Tool[];
  readonly system: readonly Anthropic.TextBlockParam[];
  readonly turns: readonly Turn[];
}

type Cached = Anthropic.Tool | Block;

/**
 * Adds cache marks to copies of the marked parts, at most four, all with the same lifetime. The provider looks for a cached
 * prefix at each mark, and at the {@link lookBack} blocks before it. It also writes the prefix up to each mark to the cache.
 * Marks are placed in this order, until there are four:
 *
 * 1. The newest message. The next request repeats everything up to it.
 * 2. The end of the instructions; the end of the tools if there are no instructions. No condensation changes what
 *   stands there.
 * 3. The end of the cached prefix, if the newest message is too far behind it for the provider's search.
 * 4. The places that the caller calls stable. The prefix up to them can be read after a later rewrite of what follows.
 * 5. The end of the cached prefix, if it is within the search of the newest message.
 * 6. The first of several instruction blocks, which other conversations can share.
 *
 * A prefix that is too short for the model to cache gets no mark. Thinking, which cannot carry one, gets none either:
 * no message ends with thinking.
 *
 * @see provider-rules A.7 and A12
 */
export function withBreakpoints(
  { tools, system, turns }: CachedParts,
  { newest, endOf }: Pick<Turns, 'newest' | 'endOf'>,
  hints: CacheHints,
  options: {
    readonly facts: Pick<ModelFacts, 'cacheMinimumTokens' | 'charsPerToken'>;
    readonly ttl: '5m' | '1h' | undefined;
  },
): CachedParts {
  const lists: Lists = [tools, system, ...turns.map(contentOf)];
  const inTurns = (place: PartPlace | undefined) => place && { ...place, list: place.list + firstTurn };
  const first = firstCachedAt(lists, options.facts);
  const newestAt = inTurns(newest);
  const cachedAt = inTurns(
    hints.cachedMessages === undefined ? endOfRequestBefore(turns) : endOf(hints.cachedMessages),
  );
  const wanted = [
    newestAt,
    endOfList(lists, 1) ?? endOfList(lists, 0),
    isWithinSearch(lists, newestAt, cachedAt) ? undefined : cachedAt,
    ...stablePlaces(hints).map((place) => inTurns(endOf(place))),
    cachedAt,
    system.length > 1 ? { list: 1, part: 0 } : undefined,
  ].filter((place) => place !== undefined && first !== undefined && !isBefore(place, first));
  const places = distinctPlaces(wanted as readonly PartPlace[]).slice(0, maxBreakpoints);
  const cache_control: Anthropic.CacheControlEphemeral = {
    type: 'ephemeral',
    ...(options.ttl === undefined ? {} : { ttl: options.ttl }),
  };
  const marked = <Part extends Cached>(parts: readonly Part[], list: number): readonly Part[] =>
    places
      .filter((place) => place.list === list)
      .reduce((all, { part }) => all.with(part, { ...(all[part] as Part), cache_control }), parts);
  const markedTurns = [...turns];
  for (const { list } of places) {
    const turn = turns[list - firstTurn];
    if (turn !== undefined) markedTurns[list - firstTurn] = { ...turn, content: marked(turn.content, list) };
  }
  return { tools: marked(tools, 0), system: marked(system, 1), turns: markedTurns };
}

/** All that is cached: the tools, the instructions, and each turn. */
type Lists = readonly (readonly Cached[])[];

/** The list of the first turn, behind those of the tools and the instructions. */
const firstTurn = 2;

function contentOf({ content }: Turn): readonly Cached[] {
  return content;
}

function endOfList(lists: Lists, list: number): PartPlace | undefined {
  const { length = 0 } = lists[list] ?? [];
  return length === 0 ? undefined : { list, part: length - 1 };
}

/** Returns the end of the last answered request: the last block before the newest answer. */
function endOfRequestBefore(turns: readonly Turn[]): PartPlace | undefined {
  const list = turns.findLastIndex(({ role }) => role === 'assistant') - 1;
  const turn = turns[list];
  return turn === undefined ? undefined : { list, part: turn.content.length - 1 };
}

/** Returns true if the provider's search from a mark at `from` finds what was cached up to `to`. */
function isWithinSearch(lists: Lists, from: PartPlace | undefined, to: PartPlace | undefined): boolean {
  if (from === undefined || to === undefined || isBefore(from, to)) return true;
  let blocks = from.part - to.part;
  for (let list = to.list; list < from.list && blocks < lookBack; list++) blocks += lists[list]?.length ?? 0;
  return blocks < lookBack;
}

/**
 * Returns the first block at whose end the prefix can be long enough to be cached. Counts too many tokens rather than
 * too few, so that no prefix that can be cached is missed.
 */
function firstCachedAt(
  lists: Lists,
  { cacheMinimumTokens = 0, charsPerToken }: Pick<ModelFacts, 'cacheMinimumTokens' | 'charsPerToken'>,
): PartPlace | undefined {
  // Text that is dense in tokens has about half as many characters in each.
  const minimum = (cacheMinimumTokens * charsPerToken) / 2;
  let characters = 0;
  for (const [list, blocks] of lists.entries()) {
    for (const [part, block] of blocks.entries()) {
      // An image's token count does not depend on its address.
      characters += hasImage(block) ? minimum : JSON.stringify(block).length;
      if (characters >= minimum) return { list, part };
    }
  }
  return undefined;
}

function hasImage(block: Cached): boolean {
  if (!('type' in block)) return false;
  if (block.type === 'image') return true;
  return (
    block.type === 'tool_result' && Array.isArray(block.content) && block.content.some(({ type }) => type === 'image')
  );
}
