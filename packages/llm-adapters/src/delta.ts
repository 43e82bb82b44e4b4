import type { AssistantMessage } from '@palimpsest/events';

/**
 * A piece of a streamed answer. Tool calls are identified by their index; `id` and `name` come with the first piece of a call.
 *
 * `restart` is not a piece: the connection was lost, and the model is asked again. The deltas of this answer so far are void.
 * The deltas that follow belong to a new answer, whose calls are counted from 0 again.
 */
export type Delta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      /** The next piece of the arguments' JSON text. */
      readonly arguments: string;
    }
  | {
      readonly type: 'restart';
      /** The reason: the message of the error in which the try ended. */
      readonly reason: string;
    };

/** A complete answer as deltas, for adapters that do not stream. */
export function deltasFromMessage(message: AssistantMessage): readonly Delta[] {
  const thinking = (message.thinkingBlocks ?? []).flatMap((block) =>
    block.type === 'thinking' ? [block.thinking] : [],
  );
  if (message.reasoningContent !== undefined) thinking.push(message.reasoningContent);
  return [
    ...thinking.filter((text) => text !== '').map((text) => ({ type: 'thinking' as const, text })),
    ...message.content.flatMap((part) => (part.type === 'text' ? [{ type: 'text' as const, text: part.text }] : [])),
    ...(message.toolCalls ?? []).map(({ id, name, arguments: text }, index) => ({
      type: 'tool-call' as const,
      index,
      id,
      name,
      arguments: text,
    })),
  ];
}
