import type { Block, Body, Exchange } from './exchange.js';
import { wordsOf } from './model.js';
import { pictureName, ruleMark, taskMark } from './place.js';

/** A request of the main agent, compared with the one before. */
export interface Look {
  readonly exchange: Exchange;
  /** Unit: tokens. */
  readonly size: number;
  /** True if it does not begin with the request before: a prompt cache misses there. */
  readonly isRewrite: boolean;
  /** True if it is a rewrite that is smaller by more than a tenth, or that has fewer parts. */
  readonly isCondensation: boolean;
  /** True if the rules of the project and the first prompt stand in it. */
  readonly hasSetUp: boolean;
  /** Pictures that an earlier request held, and of which this one holds neither the picture nor a word. */
  readonly lostPictures: readonly string[];
  /** Files of which a result is an error, though they are there: it was lost on the way. */
  readonly lostResults: readonly string[];
  /** True if it is the first of its invocation, and not of the session. */
  readonly isFirstAfterRestart: boolean;
}

/** Returns what the accepted requests of the main agent show. */
export function looksOf(exchanges: readonly Exchange[]): readonly Look[] {
  const asked = exchanges.filter(({ asker, status }) => asker === 'main' && status === 200);
  let before: { readonly exchange: Exchange; readonly pieces: readonly string[]; readonly size: number } | undefined;
  const seen = new Set<string>();
  return asked.map((exchange) => {
    const { body } = exchange;
    const pieces = piecesOf(body);
    const size = exchange.read + exchange.written + exchange.uncached;
    const isRewrite = before !== undefined && !before.pieces.every((piece, at) => piece === pieces[at]);
    const text = JSON.stringify(body);
    const look: Look = {
      exchange,
      size,
      isRewrite,
      isCondensation: isRewrite && (size < 0.9 * (before?.size ?? 0) || pieces.length < (before?.pieces.length ?? 0)),
      hasSetUp: text.includes(JSON.stringify(ruleMark).slice(1, -1)) && text.includes(taskMark),
      lostPictures: lostPictures(body, seen),
      lostResults: lostResults(body),
      isFirstAfterRestart: before !== undefined && before.exchange.invocation !== exchange.invocation,
    };
    before = { exchange, pieces, size };
    return look;
  });
}

/** Returns a request as a list of what the model reads, without cache marks and thinking. */
function piecesOf({ tools = [], system, messages = [] }: Body): readonly string[] {
  const written = (value: unknown) =>
    JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner));
  const blocks = messages.flatMap(({ role, content }) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : content)
      .filter(({ type }) => type !== 'thinking' && type !== 'redacted_thinking')
      .map((block) => written([role, normal(block)])),
  );
  return [...tools.map(written), written(system), ...blocks];
}

/** Content that is text, and a list with one text, are the same. */
function normal(block: Block): unknown {
  const { content } = block;
  return typeof content === 'string' ? { ...block, content: [{ type: 'text', text: content }] } : block;
}

/** @param seen - the pictures of earlier requests, to which those of this one are added */
function lostPictures(body: Body, seen: Set<string>): readonly string[] {
  const calls = picturesByCall(body);
  const said = (body.messages ?? []).map((message) => wordsOf(message)).join('\n');
  const held = new Set<string>();
  const lost: string[] = [];
  for (const block of blocksOf(body)) {
    const name = calls.get(block.tool_use_id ?? '');
    if (name === undefined || block.type !== 'tool_result') continue;
    const inside = typeof block.content === 'string' ? [{ type: 'text', text: block.content }] : (block.content ?? []);
    if (inside.some(({ type }) => type === 'image')) held.add(name);
    else if (seen.has(name) && !inside.some(({ text = '' }) => /image|picture|png/i.test(text))) lost.push(name);
  }
  // opencode sends the images of results in a message behind them.
  const others = blocksOf(body).filter(({ type }) => type === 'image').length;
  for (const name of [...calls.values()].slice(-others)) if (others > 0) held.add(name);
  for (const name of seen) {
    const isNamed = said.includes(name) || [...calls.values()].includes(name);
    if (!held.has(name) && !isNamed && !/\bimages?\b|\bpictures?\b/i.test(said)) lost.push(name);
  }
  for (const name of held) seen.add(name);
  return [...new Set(lost)].filter((name) => !held.has(name));
}

function lostResults(body: Body): readonly string[] {
  const failed = new Set(blocksOf(body).flatMap((block) => (block.is_error === true ? [block.tool_use_id ?? ''] : [])));
  return blocksOf(body).flatMap(({ id, input }) => {
    if (id === undefined || !failed.has(id)) return [];
    return /(?:part|picture)-\d+\.\w+/.exec(JSON.stringify(input))?.[0] ?? [];
  });
}

function blocksOf({ messages = [] }: Body): readonly Block[] {
  return messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
}

/** The pictures that a request's calls read, by the id of the call. */
function picturesByCall(body: Body): ReadonlyMap<string, string> {
  const names = Array.from({ length: 40 }, (_, number) => pictureName(number));
  return new Map(
    blocksOf(body).flatMap((call) => {
      const name =
        call.type === 'tool_use' ? names.find((each) => JSON.stringify(call.input).includes(each)) : undefined;
      return name === undefined ? [] : [[call.id ?? '', name] as const];
    }),
  );
}

/** Prices, as multiples of an input token that no cache reads or writes. */
const prices = { read: 0.1, written: 1.25, uncached: 1, output: 5 };

/** Returns the bill of a run, for all that was asked of the model. Unit: prices of an input token. */
export function billOf(exchanges: readonly Exchange[]): number {
  return exchanges.reduce(
    (sum, { read, written, uncached, output }) =>
      sum + prices.read * read + prices.written * written + prices.uncached * uncached + prices.output * output,
    0,
  );
}
