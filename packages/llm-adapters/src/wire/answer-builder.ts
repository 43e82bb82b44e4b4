import { hostFile, isMeaningful } from '@palimpsest/events';
import type { HostFile, KnownContent, KnownThinkingBlock, ReasoningItem, ToolCall } from '@palimpsest/events';
import type { CallState, Completion } from '../llm.js';
import type { Piece } from './read-message.js';
import { receivedToolName } from './received-call.js';
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
export interface AnswerBuilder {
  /** Adds a piece. Blank text, results and unread values are ignored. */
  add(piece: Piece): void;
  /** The answer: text comes before calls, and each thinking block keeps its position among them in `position`. */
  end(): Answer & { readonly isReordered: boolean };
}

/** An empty answer builder. */
export function answerBuilder(options: AnswerOptions): AnswerBuilder {
  const { names = { fromWire: (name) => name }, newCallId, hasOwnIds = false } = options;
  const content: (KnownContent | HostFile)[] = [];
  const toolCalls: ToolCall[] = [];
  const callStates: CallState[] = [];
  const thinkingBlocks: KnownThinkingBlock[] = [];
  const reasoningItems: ReasoningItem[] = [];
  let reasoningContent = '';
  let isReordered = false;

  const place = () => content.length + toolCalls.length;
  const position = () => (place() === 0 ? {} : { position: place() });
  const callId = (given: string | undefined) =>
    given === undefined || (hasOwnIds && toolCalls.some(({ id }) => id === given)) ? newCallId() : given;

  return {
    add: (piece) => {
      switch (piece.type) {
        case 'content':
          if (!isMeaningful(piece.part) && hostFile(piece.part) === undefined) return;
          if (toolCalls.length > 0) isReordered = true;
          content.push(piece.part);
          return;
        case 'call': {
          const { itemId, state = 'as-written' } = piece;
          callStates.push(state);
          toolCalls.push({
            id: callId(piece.id),
            name: receivedToolName(piece.name, names),
            arguments: piece.arguments,
            ...(itemId === undefined ? {} : { itemId }),
          });
          return;
        }
        case 'thinking':
          thinkingBlocks.push({ ...piece.block, ...(piece.isOnCall === true ? { position: place() } : position()) });
          return;
        case 'reasoning-item':
          reasoningItems.push({ ...piece.item, ...position() });
          return;
        case 'reasoning-text':
          reasoningContent += piece.text;
          return;
        case 'result':
        case 'unread':
      }
    },
    end: () => ({
      message: {
        role: 'assistant',
        content,
        ...(toolCalls.length === 0 ? {} : { toolCalls }),
        ...(thinkingBlocks.length === 0 ? {} : { thinkingBlocks }),
        ...(reasoningItems.length === 0 ? {} : { reasoningItems }),
        ...(reasoningContent === '' ? {} : { reasoningContent }),
      },
      ...(callStates.every((state) => state === 'as-written') ? {} : { callStates }),
      isReordered,
    }),
  };
}

/** The answer in a response, without the substitutes for unread values and without calls of the provider's own tools. */
export function answerOf(pieces: readonly Piece[], options: AnswerOptions): Answer {
  const builder = answerBuilder({ ...options, hasOwnIds: true });
  for (const piece of pieces) {
    const isOurs =
      piece.type === 'content' ? piece.isStandIn !== true : piece.type !== 'call' || piece.isOwnTool !== true;
    if (isOurs) builder.add(piece);
  }
  const { isReordered: _, ...answer } = builder.end();
  return answer;
}
