import type Anthropic from '@anthropic-ai/sdk';
import type { CacheHints } from '../llm.js';
import type { ModelFacts } from '../models/model-facts.js';
import { stablePlaces } from '../wire/cache-place.js';
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
 * Adds cache marks to the parts of a body, at most four, all with the same lifetime. A mark reads a prefix that was cached at
 * its block or at an earlier block within the provider's look-back, and writes the prefix up to its block. So marks go, in this
 * order:
 *
 * - to the newest message, up to which the next request will be the same;
 * - to the end of the instructions, else of the tools, which outlives every condensation;
 * - to the end of what can be cached, if it is farther from the newest message than the provider looks back;
 * - to the places that the caller calls stable, whose prefix stays readable after a later rewrite;
 * - to the end of what can be cached, if it is near;
 * - to the first of several instructions, which other conversations can have too.
 *
 * No mark is placed on a prefix that is too short for the model to cache, and none on thinking, because no message ends in it.
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
  const blocks: readonly Cached[] = [...tools, ...system, ...turns.flatMap(({ content }) => content)];
  const at = (block: Cached | undefined) => (block === undefined ? -1 : blocks.lastIndexOf(block));
  const first = firstCachedAt(blocks, options.facts);
  const newestAt = at(newest);
  const cachedAt = at(hints.cachedMessages === undefined ? endOfRequestBefore(turns) : endOf(hints.cachedMessages));
  const wanted = [
    newestAt,
    at(system.at(-1) ?? tools.at(-1)),
    newestAt - cachedAt >= lookBack ? cachedAt : -1,
    ...stablePlaces(hints).map((place) => at(endOf(place))),
    cachedAt,
    system.length > 1 ? at(system[0]) : -1,
  ];
  const marked = new Set(
    [...new Set(wanted.filter((place) => place >= first))].slice(0, maxBreakpoints).map((place) => blocks[place]),
  );
  const cache_control: Anthropic.CacheControlEphemeral = {
    type: 'ephemeral',
    ...(options.ttl === undefined ? {} : { ttl: options.ttl }),
  };
  const mark = <Part extends Cached>(part: Part): Part => (marked.has(part) ? { ...part, cache_control } : part);
  return {
    tools: tools.map(mark),
    system: system.map(mark),
    turns: turns.map(({ role, content }) => ({ role, content: content.map(mark) })),
  };
}

/** The newest message of the last answered request. */
function endOfRequestBefore(turns: readonly Turn[]): Block | undefined {
  const answerAt = turns.findLastIndex(({ role }) => role === 'assistant');
  return answerAt < 1 ? undefined : turns[answerAt - 1]?.content.at(-1);
}

/**
 * The first block at whose end a prefix can be long enough to be cached. The estimate is generous, so that no cacheable prefix
 * is missed.
 */
function firstCachedAt(
  blocks: readonly Cached[],
  { cacheMinimumTokens = 0, charsPerToken }: Pick<ModelFacts, 'cacheMinimumTokens' | 'charsPerToken'>,
): number {
  // Text that is dense in tokens has about half as many characters in each.
  const minimum = (cacheMinimumTokens * charsPerToken) / 2;
  let characters = 0;
  for (const [index, block] of blocks.entries()) {
    // An image's token count does not depend on its address.
    characters += JSON.stringify(block).length + (hasImage(block) ? minimum : 0);
    if (characters >= minimum) return index;
  }
  return blocks.length;
}

function hasImage(block: Cached): boolean {
  if (!('type' in block)) return false;
  if (block.type === 'image') return true;
  return (
    block.type === 'tool_result' && Array.isArray(block.content) && block.content.some(({ type }) => type === 'image')
  );
}
