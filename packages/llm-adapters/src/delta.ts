import type { AssistantMessage } from '@palimpsest/events';

/** A piece of an answer on its way. Tool calls are told apart by their index; `id` and `name` come with the first piece. */
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
