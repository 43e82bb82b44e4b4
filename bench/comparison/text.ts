import type { Message, ToolCall } from '@palimpsest/events';

/** Returns the text of a message. The libraries are given text alone. */
export function textOf({ content }: Message): string {
  return content.flatMap((part) => (part.type === 'text' ? [part['text'] as string] : [])).join('\n');
}

/** Returns the arguments of a call as an object, as the other libraries hold them. */
export function argumentsOf({ arguments: json }: ToolCall): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : { value };
  } catch {
    return { text: json };
  }
}
