import type { ContentPart, Message } from '@palimpsest/events';
import type { TextCounter } from '../replay/token-counter.js';

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
  const pieces = pieceTable(count);
  let before: readonly number[] | undefined;
  return (messages) => {
    const sent = pieces.of(messages);
    let [tokens, cached, shared] = [head, 0, 0];
    for (const piece of sent) tokens += pieces.size(piece);
    if (before !== undefined) {
      for (cached = head; shared < sent.length && sent[shared] === before[shared]; shared++) {
        cached += pieces.size(sent[shared] ?? 0);
      }
    }
    const rewrites = before !== undefined && shared < before.length;
    before = sent;
    return { tokens, cached, rewrites };
  };
}

interface PieceTable {
  /** The parts of messages as numbers: equal parts in equal roles have equal numbers. */
  of(messages: readonly Message[]): readonly number[];
  /** Unit: tokens. */
  size(piece: number): number;
}

function pieceTable(count: TextCounter): PieceTable {
  const numbers = new Map<string, number>();
  const sizes: number[] = [];
  // Parts are the log's own objects, so most of them are found by reference.
  const known = new WeakMap<object, Map<string, number>>();
  const sized = (role: string, text: string, size: () => number): number => {
    const key = `${role}\u0000${text}`;
    const found = numbers.get(key);
    if (found !== undefined) return found;
    sizes.push(size());
    numbers.set(key, sizes.length - 1);
    return sizes.length - 1;
  };
  const piece = (role: string, text: string, extra: number): number => sized(role, text, () => extra + count(text));
  const remembered = (part: object, role: string, make: () => number): number => {
    let byRole = known.get(part);
    if (byRole === undefined) known.set(part, (byRole = new Map<string, number>()));
    let found = byRole.get(role);
    if (found === undefined) byRole.set(role, (found = make()));
    return found;
  };
  const ofPart = (part: ContentPart, role: string): number => {
    if (part.type === 'text') return piece(role, part.text, tokensPerPart);
    return sized(`${role} ${part.type}`, JSON.stringify(part), () => tokensPerImage);
  };
  return {
    size: (number) => sizes[number] ?? 0,
    of: (messages) => {
      const all: number[] = [];
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
    },
  };
}
