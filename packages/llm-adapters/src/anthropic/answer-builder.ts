import { isMeaningful } from '@palimpsest/events';
import type { ContentPart, ThinkingBlock, ToolCall } from '@palimpsest/events';
import { field, textOf } from '../http-failure.js';
import { partsFromBlock } from './parts-from-block.js';

/** What one answer of the model consists of. */
export interface Answer {
  readonly id: string | undefined;
  /** Where it begins. */
  readonly path: string;
  readonly content: ContentPart[];
  readonly calls: readonly ToolCall[];
  readonly thinkingBlocks: ThinkingBlock[];
  readonly setAside: readonly { readonly path: string; readonly value: unknown; readonly reason: string }[];
  /** Words stood after a call and now stand before it. */
  readonly isReordered: boolean;
}

/** Gathers one answer from the messages over which it may be spread. */
export interface AnswerBuilder {
  readonly id: string | undefined;
  add(id: string | undefined, blocks: readonly unknown[], path: string): void;
  end(): Answer;
}

/** An answer with nothing in it yet. */
export function answerBuilder(): AnswerBuilder {
  let id: string | undefined;
  let path = '';
  let isReordered = false;
  const content: ContentPart[] = [];
  const calls: ToolCall[] = [];
  const thinkingBlocks: ThinkingBlock[] = [];
  const setAside: Answer['setAside'][number][] = [];

  const position = () => {
    const before = content.length + calls.length;
    return before === 0 ? {} : { position: before };
  };

  const addBlock = (block: unknown, at: string) => {
    const type = field(block, 'type');
    const call = type === 'tool_use' ? callFrom(block) : undefined;
    const thinking = thinkingFrom(block);
    if (call !== undefined) {
      calls.push(call);
    } else if (thinking !== undefined) {
      thinkingBlocks.push({ ...thinking, ...position() });
    } else {
      const { parts, setAside: reason } = partsFromBlock(block);
      if (reason !== undefined) setAside.push({ path: at, value: block, reason });
      const meaningful = parts.filter(isMeaningful);
      if (meaningful.length > 0 && calls.length > 0) isReordered = true;
      content.push(...meaningful);
    }
  };

  return {
    get id() {
      return id;
    },
    add: (messageId, blocks, at) => {
      id ??= messageId;
      if (path === '') path = at;
      blocks.forEach((block, index) => addBlock(block, `${at}.content.${index}`));
    },
    end: () => ({ id, path, content, calls, thinkingBlocks, setAside, isReordered }),
  };
}

function callFrom(block: unknown): ToolCall | undefined {
  const id = textOf(field(block, 'id'));
  const name = textOf(field(block, 'name'));
  if (id === undefined || name === undefined) return undefined;
  return { id, name, arguments: JSON.stringify(field(block, 'input') ?? {}) };
}

function thinkingFrom(block: unknown): ThinkingBlock | undefined {
  const data = field(block, 'data');
  if (field(block, 'type') === 'redacted_thinking' && typeof data === 'string')
    return { type: 'redacted-thinking', data };
  const thinking = field(block, 'thinking');
  if (field(block, 'type') !== 'thinking' || typeof thinking !== 'string') return undefined;
  const signature = textOf(field(block, 'signature'));
  return { type: 'thinking', thinking, ...(signature === undefined ? {} : { signature }) };
}
