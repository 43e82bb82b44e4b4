import type { Message } from '@palimpsest/events';

/**
 * The names of the tools that a history calls, in order of appearance. Providers refuse calls and results in a request without
 * tools; the adapter can declare these names instead.
 *
 * @see provider-rules A26
 */
export function calledTools(messages: readonly Message[]): readonly string[] {
  const names = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') names.add(message.toolName);
    else if (message.role === 'assistant') for (const { name } of message.toolCalls ?? []) names.add(name);
  }
  return [...names];
}
