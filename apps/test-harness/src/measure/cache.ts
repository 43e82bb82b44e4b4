import type { ContentPart, Message, ToolDefinition } from '@palimpsest/events';
import { promptToSend } from '@palimpsest/llm-adapters';
import type { SentPrompt } from '@palimpsest/llm-adapters';
import { toMessagesRequest } from '@palimpsest/llm-adapters/anthropic';
import type { TokenUse } from './money.js';
import type { TextCounter } from './tokens.js';

/** The size of one request, and how much of it a prompt cache holds from the request before. Unit: tokens. */
export interface PromptSize {
  readonly tokens: number;
  /** The head and the longest common prefix of whole parts; 0 for the first request. */
  readonly cached: number;
  /** The request does not begin with all that the request before was sent. */
  readonly rewrites: boolean;
}

const tokensPerPart = 4;
const tokensPerImage = 1_000;

/**
 * Returns a function that measures the requests of one session, in their order, beside a cache that holds all of the request before. A
 * part costs its text and 4 tokens, a call the same, an image 1,000.
 *
 * @param head - instructions and tools that stand before every request and in no message. Unit: tokens.
 */
export function prefixMeter(count: TextCounter, head: number): (messages: readonly Message[]) => PromptSize {
  const piecesOf = messagePieces(count);
  let before: readonly Piece[] | undefined;
  return (messages) => {
    const sent = piecesOf(messages);
    let [tokens, cached, shared] = [head, 0, 0];
    for (const piece of sent) tokens += piece.tokens;
    if (before !== undefined) {
      for (cached = head; shared < sent.length && sent[shared] === before[shared]; shared++) {
        cached += sent[shared]?.tokens ?? 0;
      }
    }
    const rewrites = before !== undefined && shared < before.length;
    before = sent;
    return { tokens, cached, rewrites };
  };
}

/** A part of a request. Equal parts in equal places are one piece. */
interface Piece {
  readonly tokens: number;
}

/** Finds the piece of a part. The scope says where the part stands: its role and its kind. */
function pieceTable() {
  const byText = new Map<string, Map<string, Piece>>();
  const byPart = new WeakMap<object, Map<string, Piece>>();
  return {
    of: (scope: string, text: string, tokens: () => number): Piece => {
      // The text is a key of its own: the hash of a text that is sent again is known.
      let pieces = byText.get(scope);
      if (pieces === undefined) byText.set(scope, (pieces = new Map<string, Piece>()));
      let piece = pieces.get(text);
      if (piece === undefined) pieces.set(text, (piece = { tokens: tokens() }));
      return piece;
    },
    /** The piece of an object that does not change: most parts are those of the request before. */
    remembered: (part: object, role: string, make: () => Piece): Piece => {
      let pieces = byPart.get(part);
      if (pieces === undefined) byPart.set(part, (pieces = new Map<string, Piece>()));
      let piece = pieces.get(role);
      if (piece === undefined) pieces.set(role, (piece = make()));
      return piece;
    },
  };
}

function messagePieces(count: TextCounter): (messages: readonly Message[]) => readonly Piece[] {
  const { of, remembered } = pieceTable();
  const piece = (role: string, text: string, extra: number): Piece => of(role, text, () => extra + count(text));
  const ofPart = (part: ContentPart, role: string): Piece => {
    if (part.type === 'text') return piece(role, part.text, tokensPerPart);
    return of(`${role} ${part.type}`, JSON.stringify(part), () => tokensPerImage);
  };
  return (messages) => {
    const all: Piece[] = [];
    for (const message of messages) {
      const before = all.length;
      const role = message.role === 'tool' ? `tool ${message.toolCallId}` : message.role;
      if (message.role === 'assistant') {
        for (const block of message.thinkingBlocks ?? []) {
          const text = 'thinking' in block ? String(block.thinking) : 'data' in block ? String(block.data) : '';
          all.push(remembered(block, 'thinking', () => piece('thinking', text, 0)));
        }
        for (const item of message.reasoningItems ?? []) {
          all.push(remembered(item, 'reasoning', () => piece('reasoning', JSON.stringify(item.summary ?? ''), 0)));
        }
        if (message.reasoningContent) all.push(piece('reasoning content', message.reasoningContent, 0));
      }
      for (const part of message.content) all.push(remembered(part, role, () => ofPart(part, role)));
      for (const call of message.role === 'assistant' ? (message.toolCalls ?? []) : []) {
        const text = `${call.name} ${call.arguments}`;
        all.push(remembered(call, 'call', () => piece(`call ${call.id}`, text, tokensPerPart)));
      }
      if (all.length === before) all.push(piece(`${role} empty`, '', tokensPerPart));
    }
    return all;
  };
}

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
): (request: { readonly messages: readonly Message[]; readonly at: string }) => MarkedUse {
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
  const pieceOf = blockPieces(count, unlogged.length === 0 ? undefined : head);
  const root: Prefix = { tokens: 0, next: new Map(), warmUntil: 0, wasWritten: false };
  let last: SentPrompt | undefined;
  let time = 0;
  return ({ messages, at }) => {
    last = promptToSend(unlogged.length === 0 ? messages : [...unlogged, ...messages], last);
    const body = toMessagesRequest({ messages: last.messages, tools, cache: last.cache }, { model });
    const places = placesOf(body, root, pieceOf);
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
  readonly next: Map<Piece, Prefix>;
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

function placesOf({ system = [], messages }: Body, root: Prefix, pieceOf: BlockPieces): readonly Place[] {
  const places: Place[] = [];
  let [prefix, position, lastType] = [root, -1, ''];
  const add = (block: Block, role: string): void => {
    const piece = pieceOf(block, role);
    let next = prefix.next.get(piece);
    if (next === undefined) {
      next = { tokens: prefix.tokens + piece.tokens, next: new Map(), wasWritten: false, warmUntil: 0 };
      prefix.next.set(piece, next);
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

/** Returns the longest beginning that a mark finds in the cache. */
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

type BlockPieces = (block: Block, role: string) => Piece;

/** @param first - the size of the first block of the instructions, if it stands for what no log holds. Unit: tokens. */
function blockPieces(count: TextCounter, first: number | undefined): BlockPieces {
  const { of, remembered } = pieceTable();
  let unlogged = first;
  const made = (block: Block, role: string): Piece => {
    const { kind, text, images } = contentOf(block);
    return of(`${role} ${kind}`, text, () => {
      const tokens = unlogged ?? tokensPerPart + count(text) + images * tokensPerImage;
      unlogged = undefined;
      return tokens;
    });
  };
  // The adapter's own blocks of the request before are frozen.
  return (block, role) =>
    Object.isFrozen(block) ? remembered(block, role, () => made(block, role)) : made(block, role);
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
