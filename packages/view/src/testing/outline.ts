import type { Message } from '@palimpsest/events';

/** Returns messages as short lines, for tests: role, words and calls; `T` marks thinking. */
export function outline(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => {
    const words = message.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`));
    if (message.role === 'tool') return [`tool ${message.toolCallId}:`, ...words].join(' ');
    if (message.role !== 'assistant') return [`${message.role}:`, ...words].join(' ');
    const thinking = message.thinkingBlocks === undefined ? [] : ['T'];
    const calls = (message.toolCalls ?? []).map(({ id }) => `(${id})`);
    return ['assistant:', ...thinking, ...words, ...calls].join(' ');
  });
}
