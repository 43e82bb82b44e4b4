/** Returns a message as Claude Code writes its last one: with a cache mark on its last block. */
export function withMark(message: object): object {
  const { content } = message as { content: unknown };
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as object[]);
  return {
    ...message,
    content: blocks.map((block, index) =>
      index === blocks.length - 1 ? { ...block, cache_control: { type: 'ephemeral' } } : block,
    ),
  };
}
