import type { Message, ToolDefinition } from '@palimpsest/events';
import { promptToSend } from '@palimpsest/llm-adapters';
import type { SentPrompt } from '@palimpsest/llm-adapters';
import { toMessagesRequest } from '@palimpsest/llm-adapters/anthropic';
import type { TextCounter } from '../replay/token-counter.js';
import type { TokenUse } from './money.js';
import type { ReplayedCall } from './replayed-call.js';

/** The use of one request. Unit: tokens. */
export interface MarkedUse {
  /** The cache keeps everything. */
  readonly atMarks: TokenUse;
  /** What was not read for five minutes is gone. @defaultValue none: the log has no times */
  readonly withLife?: TokenUse;
}

type Body = ReturnType<typeof toMessagesRequest>;
type Block = Exclude<Body['messages'][number]['content'], string>[number];

const model = 'claude-opus-5-5';
/** With tools of its own a request gets none for the names in its history, which would change at a new name. */
const tools: readonly ToolDefinition[] = [{ name: 'any', description: '', inputSchema: { type: 'object' } }];
const tokensPerBlock = 4;
const tokensPerImage = 1_000;
/** A mark finds what was written so many blocks before it, itself included. @see provider-rules A.7 */
const lookBack = 20;
/** Unit: milliseconds. @see provider-rules A.7 */
const life = 5 * 60_000;

/**
 * Returns a function that measures the requests of one session, in their order, as a provider bills them whose cache works at marks: at
 * most four, set by our adapter, with a look-back of 20 blocks. Sizes are those of the prompt meter, besides the words in which the adapter writes a request.
 *
 * @param head - instructions and tools that stand in no message. Unit: tokens.
 * @param hasTimes - whether the session's log has the times of its calls
 */
export function breakpointMeter(
  count: TextCounter,
  head: number,
  hasTimes: boolean,
): (request: Pick<ReplayedCall, 'messages' | 'at'>) => MarkedUse {
  const unlogged: readonly Message[] =
    // Long enough for the adapter to mark its end. Frozen, so that the adapter remembers what it made of this beginning.
    head === 0
      ? []
      : [
          Object.freeze({
            role: 'system',
            content: Object.freeze([Object.freeze({ type: 'text', text: '-'.repeat(4 * head) })]),
          }),
        ];
  const sizes = blockSizes(count, unlogged.length === 0 ? undefined : head);
  const root: Prefix = { tokens: 0, next: new Map(), warmUntil: 0, wasWritten: false };
  let last: SentPrompt | undefined;
  let time = 0;
  return ({ messages, at }) => {
    last = promptToSend(unlogged.length === 0 ? messages : [...unlogged, ...messages], last);
    const body = toMessagesRequest({ messages: last.messages, tools, cache: last.cache }, { model });
    const places = placesOf(body, root, sizes);
    const recordedAt = Date.parse(at);
    if (recordedAt > time) time = recordedAt;
    const use: MarkedUse = {
      atMarks: useOf(places, ({ wasWritten }) => wasWritten),
      ...(hasTimes ? { withLife: useOf(places, ({ warmUntil }) => warmUntil > time) } : {}),
    };
    // A read renews what it read.
    const hit = hitOf(places, ({ warmUntil }) => warmUntil > time);
    for (const place of [...(hit === undefined ? [] : [hit]), ...places.filter(({ isMarked }) => isMarked)]) {
      place.prefix.wasWritten = true;
      place.prefix.warmUntil = time + life;
    }
    return use;
  };
}

/** A beginning of requests: all blocks up to one. */
interface Prefix {
  readonly tokens: number;
  /** By the next block. */
  readonly next: Map<number, Prefix>;
  wasWritten: boolean;
  warmUntil: number;
}

/** The end of a block in a request. */
interface Place {
  readonly prefix: Prefix;
  readonly isMarked: boolean;
  /** A run of calls, or of results, is one position. */
  readonly position: number;
}

function placesOf({ system = [], messages }: Body, root: Prefix, sizes: BlockSizes): readonly Place[] {
  const places: Place[] = [];
  let [prefix, position, lastType] = [root, -1, ''];
  const add = (block: Block, role: string): void => {
    const { number, tokens } = sizes.of(block, role);
    let next = prefix.next.get(number);
    if (next === undefined) {
      next = { tokens: prefix.tokens + tokens, next: new Map(), wasWritten: false, warmUntil: 0 };
      prefix.next.set(number, next);
    }
    prefix = next;
    const isRun = block.type === lastType && (block.type === 'tool_use' || block.type === 'tool_result');
    if (!isRun) position++;
    lastType = block.type;
    places.push({ prefix, position, isMarked: 'cache_control' in block && Boolean(block.cache_control) });
  };
  for (const block of typeof system === 'string' ? [] : system) add(block, 'system');
  for (const { role, content } of messages) {
    lastType = '';
    for (const block of typeof content === 'string' ? [] : content) add(block, role);
  }
  return places;
}

/** The longest beginning that a mark finds in the cache. */
function hitOf(places: readonly Place[], isWarm: (prefix: Prefix) => boolean): Place | undefined {
  let hit = -1;
  places.forEach((mark, at) => {
    if (!mark.isMarked) return;
    for (let index = at; index > hit && (places[index]?.position ?? 0) > mark.position - lookBack; index--) {
      const place = places[index];
      if (place !== undefined && isWarm(place.prefix)) hit = index;
    }
  });
  return places[hit];
}

function useOf(places: readonly Place[], isWarm: (prefix: Prefix) => boolean): TokenUse {
  const cacheRead = hitOf(places, isWarm)?.prefix.tokens ?? 0;
  const lastMark = places.findLast(({ isMarked }) => isMarked)?.prefix.tokens ?? 0;
  const cached = Math.max(cacheRead, lastMark);
  const all = places.at(-1)?.prefix.tokens ?? 0;
  return { cacheRead, cacheWrite: cached - cacheRead, input: all - cached, output: 0 };
}

interface BlockSize {
  readonly number: number;
  readonly tokens: number;
}

interface BlockSizes {
  /** Equal blocks in equal roles have equal numbers. */
  of(block: Block, role: string): BlockSize;
}

/** @param first - the size of the first block of the instructions, if it stands for what no log holds. Unit: tokens. */
function blockSizes(count: TextCounter, first: number | undefined): BlockSizes {
  const known = new Map<string, Map<string, BlockSize>>();
  // Most blocks are the adapter's own frozen objects of the request before.
  const remembered = new WeakMap<Block, { readonly role: string; readonly size: BlockSize }>();
  let made = 0;
  return {
    of: (block, role) => {
      const before = remembered.get(block);
      if (before?.role === role) return before.size;
      const { kind, text, images } = contentOf(block);
      // The text is a key of its own: the hash of a text that is sent again is known.
      const scope = `${role} ${kind}`;
      let byText = known.get(scope);
      if (byText === undefined) known.set(scope, (byText = new Map<string, BlockSize>()));
      let found = byText.get(text);
      if (found === undefined) {
        const isUnlogged = first !== undefined && made === 0;
        const tokens = isUnlogged ? first : tokensPerBlock + count(text) + images * tokensPerImage;
        byText.set(text, (found = { number: made++, tokens }));
      }
      if (Object.isFrozen(block)) remembered.set(block, { role, size: found });
      return found;
    },
  };
}

function contentOf(block: Block): { readonly kind: string; readonly text: string; readonly images: number } {
  switch (block.type) {
    case 'text':
      return { kind: 'text', text: block.text, images: 0 };
    case 'tool_use':
      return { kind: `call ${block.id}`, text: `${block.name} ${JSON.stringify(block.input)}`, images: 0 };
    case 'tool_result': {
      const parts =
        typeof block.content === 'string' ? [{ type: 'text' as const, text: block.content }] : block.content;
      const [only] = parts ?? [];
      const kind = `result ${block.tool_use_id}`;
      if (parts?.length === 1 && only?.type === 'text') return { kind, text: only.text, images: 0 };
      return { kind, text: textOf(parts ?? []), images: parts?.filter(({ type }) => type === 'image').length ?? 0 };
    }
    case 'thinking':
      return { kind: 'thinking', text: block.thinking, images: 0 };
    case 'image':
      return { kind: `image ${JSON.stringify(block.source)}`, text: '', images: 1 };
    default:
      return { kind: block.type, text: JSON.stringify(block), images: 0 };
  }
}

function textOf(parts: readonly { readonly type: string }[]): string {
  return parts.map((part) => ('text' in part ? String(part.text) : JSON.stringify(part))).join('\n');
}
