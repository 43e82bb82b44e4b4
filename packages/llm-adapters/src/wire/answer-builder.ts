import { hostFile, isMeaningful } from '@palimpsest/events';
import type {
  AssistantMessage,
  HostFile,
  KnownContent,
  KnownThinkingBlock,
  ReasoningItem,
  ToolCall,
} from '@palimpsest/events';
import type { CallState, Completion } from '../llm.js';
import type { Piece } from './pieces.js';
import { receivedToolName } from './pieces.js';
import type { ToolNames } from './tool-names.js';

/** The options of building an answer. */
export interface AnswerOptions {
  /** The names of the request's tools. @defaultValue names stay as they are */
  readonly names?: Pick<ToolNames, 'fromWire'>;
  /** Makes the id of a call without an id. */
  readonly newCallId: () => string;
  /** A call with the id of another call of the answer gets a new one. @defaultValue false */
  readonly hasOwnIds?: boolean;
}

/** An answer, and the states of its calls if one of them is not `as-written`. */
export type Answer = Pick<Completion, 'message' | 'callStates'>;

/** Builds one answer of a model from its pieces, which can come in several messages. */
export class AnswerBuilder {
  readonly #options: AnswerOptions;
  readonly #content: (KnownContent | HostFile)[] = [];
  readonly #toolCalls: ToolCall[] = [];
  readonly #callStates: CallState[] = [];
  #thinkingBlocks: KnownThinkingBlock[] | undefined;
  #reasoningItems: ReasoningItem[] | undefined;
  #reasoningContent = '';
  #isReordered = false;

  constructor(options: AnswerOptions) {
    this.#options = options;
  }

  /** Adds a piece. Blank text, results and unread values are ignored. */
  add(piece: Piece): void {
    switch (piece.type) {
      case 'content':
        if (!isMeaningful(piece.part) && hostFile(piece.part) === undefined) return;
        if (this.#toolCalls.length > 0) this.#isReordered = true;
        this.#content.push(piece.part);
        return;
      case 'call': {
        const { itemId, state = 'as-written', arguments: text } = piece;
        const { names = asTheyAre } = this.#options;
        const call = { id: this.#callId(piece.id), name: receivedToolName(piece.name, names), arguments: text };
        this.#callStates.push(state);
        this.#toolCalls.push(itemId === undefined ? call : { ...call, itemId });
        return;
      }
      case 'thinking':
        (this.#thinkingBlocks ??= []).push({
          ...piece.block,
          ...(piece.isOnCall === true ? { position: this.#place } : this.#position()),
        });
        return;
      case 'reasoning-item':
        (this.#reasoningItems ??= []).push({ ...piece.item, ...this.#position() });
        return;
      case 'reasoning-text':
        this.#reasoningContent += piece.text;
        return;
      case 'result':
      case 'unread':
    }
  }

  /**
   * Returns the answer: text comes before calls, and each thinking block keeps its position among them in `position`.
   */
  end(): Answer & { readonly isReordered: boolean } {
    const message: Mutable<AssistantMessage> = { role: 'assistant', content: this.#content };
    if (this.#toolCalls.length > 0) message.toolCalls = this.#toolCalls;
    if (this.#thinkingBlocks !== undefined) message.thinkingBlocks = this.#thinkingBlocks;
    if (this.#reasoningItems !== undefined) message.reasoningItems = this.#reasoningItems;
    if (this.#reasoningContent !== '') message.reasoningContent = this.#reasoningContent;
    const isAsWritten = this.#callStates.every((state) => state === 'as-written');
    return {
      message,
      ...(isAsWritten ? {} : { callStates: this.#callStates }),
      isReordered: this.#isReordered,
    };
  }

  get #place(): number {
    return this.#content.length + this.#toolCalls.length;
  }

  #position(): { readonly position?: number } {
    return this.#place === 0 ? {} : { position: this.#place };
  }

  #callId(given: string | undefined): string {
    const { hasOwnIds = false, newCallId } = this.#options;
    const isTaken = hasOwnIds && this.#toolCalls.some(({ id }) => id === given);
    return given === undefined || isTaken ? newCallId() : given;
  }
}

const asTheyAre: Pick<ToolNames, 'fromWire'> = { fromWire: (name) => name };

/** An object while it is made, field by field. */
export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * Returns the answer in a response, without the substitutes for unread values and without calls of the provider's own
 * tools.
 */
export function answerOf(pieces: readonly Piece[], options: AnswerOptions): Answer {
  const builder = new AnswerBuilder({ ...options, hasOwnIds: true });
  for (const piece of pieces) {
    const isOurs =
      piece.type === 'content' ? piece.isStandIn !== true : piece.type !== 'call' || piece.isOwnTool !== true;
    if (isOurs) builder.add(piece);
  }
  const { isReordered: _, ...answer } = builder.end();
  return answer;
}
