import type { Joints } from '@palimpsest/messages';
import { apart, resultOf } from './apart.js';
import type { Block, Piece } from './apart.js';
import type { HostInfo, HostMessage, HostPart, HostToolState } from './host.js';

/** Returns the rules for the messages of opencode, of one list of it. */
export function jointsOf(list: readonly HostMessage[]): Joints<HostMessage, Piece> {
  const asked = list.findLast(({ info }) => info.role === 'user')?.info;
  return {
    apart,
    joined: (pieces, whole) => {
      if (whole !== undefined) return rejoined(pieces, whole);
      const text = pieces.flatMap(blocksOf).flatMap(({ text }) => (typeof text === 'string' ? text : []));
      return asked === undefined || text.length === 0 ? undefined : wordsOf(text.join('\n\n'), asked);
    },
  };
}

/** A message of the user that stands in no session: a summary. */
function wordsOf(text: string, asked: HostInfo): HostMessage {
  const id = 'msg_palimpsest';
  return {
    info: { ...asked, id },
    parts: [partOf(text, id, asked.sessionID)],
  };
}

function partOf(text: string, messageID: string, sessionID: string): HostPart & Readonly<Record<string, unknown>> {
  return { id: 'prt_palimpsest', sessionID, messageID, type: 'text', text, synthetic: true };
}

/** A message with what its pieces say now. Parts that are in no piece stay: steps, snapshots, what is unknown. */
function rejoined(pieces: readonly Piece[], { info, parts }: HostMessage): HostMessage | undefined {
  const before = blocksByPart(apart({ info, parts }));
  const now = blocksByPart(pieces);
  const kept = parts.flatMap((part, index): readonly Placed[] => {
    const had = before.get(index) ?? [];
    const has = now.get(index) ?? [];
    if (had.length === 0) return [[index, part]];
    // A call without its result, or a result without its call, is neither.
    if (has.length < had.length) return [];
    return [[index, part.type === 'tool' ? changedTool(part, has) : part]];
  });
  const isSent = (index: number) => (before.get(index) ?? []).length > 0;
  const words = newWords(pieces, Math.min(...before.keys())).map(([at, text]): Placed => [
    at,
    partOf(text, info.id, info.sessionID),
  ]);
  if (words.length === 0 && !kept.some(([index]) => isSent(index))) return undefined;
  const placed = [...kept, ...words].toSorted(([one], [other]) => one - other);
  return { info, parts: placed.map(([, part]) => part) };
}

type Placed = readonly [at: number, part: HostPart];

function blocksOf({ content }: Piece): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function blocksByPart(pieces: readonly Piece[]): ReadonlyMap<number, readonly Block[]> {
  const blocks = new Map<number, readonly Block[]>();
  for (const block of pieces.flatMap(blocksOf)) {
    if (block.part !== undefined) blocks.set(block.part, [...(blocks.get(block.part) ?? []), block]);
  }
  return blocks;
}

/**
 * The texts that were no part of the message, each with its place behind the part before it.
 *
 * @param first - the first part that is sent
 */
function newWords(pieces: readonly Piece[], first: number): readonly (readonly [at: number, text: string])[] {
  let at = first - 0.5;
  return pieces.flatMap(blocksOf).flatMap((block) => {
    if (block.part !== undefined) {
      at = block.part + 0.5;
      return [];
    }
    const text = block['text'];
    return typeof text === 'string' && text.trim() !== '' ? [[at, text] as const] : [];
  });
}

function changedTool(part: HostPart, blocks: readonly Block[]): HostPart {
  const call = blocks.find(({ type }) => type === 'tool_use');
  const result = blocks.find(({ type }) => type === 'tool_result');
  const { state } = part;
  if (call === undefined || result === undefined || state === undefined) return part;
  const withInput = isSame(call['input'], state.input ?? {}) ? state : { ...state, input: call['input'] };
  const isAsBefore = isSame(result['content'], resultOf(state).content);
  const changed = isAsBefore ? withInput : withContent(withInput, result['content']);
  const callID = typeof call['id'] === 'string' ? call['id'] : part.callID;
  if (changed === state && callID === part.callID) return part;
  return { ...part, ...(callID === undefined ? {} : { callID }), state: changed };
}

function withContent(state: HostToolState, content: unknown): HostToolState {
  const blocks: readonly Block[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : ((content ?? []) as readonly Block[]);
  const text = blocks.flatMap((block) => (block.type === 'text' ? String(block['text']) : [])).join('\n');
  if (state.status === 'error' && state.metadata?.['interrupted'] !== true) return { ...state, error: text };
  if (state.status === 'error') return { ...state, error: text, metadata: { ...state.metadata, output: text } };
  if (state.status !== 'completed') {
    const { input = {} } = state;
    return { status: 'error', input, error: text, time: { start: 0, end: 0 } };
  }
  const { attachments = [], time: { compacted: _, ...time } = {}, ...rest } = state;
  const left = attachments.filter((file) => {
    const [own] = resultOf({ status: 'completed', attachments: [file] }).content.slice(1) as readonly Block[];
    return blocks.some((block) => isSame(block, own) || isSameImage(block, own));
  });
  return { ...rest, output: text, time, ...(left.length === 0 ? {} : { attachments: left }) };
}

/** A codec writes an image again without what else stood in its block. */
function isSameImage(one: Block, other: Block | undefined): boolean {
  return one.type === 'image' && other?.type === 'image' && isSame(one['source'], other['source']);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
