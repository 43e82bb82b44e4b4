import type { AssistantMessage, ContentPart, Message, ToolCall, ToolMessage } from '@palimpsest/events';

/** The message with its calls, or its result, as text. Any other message is returned unchanged. */
export function writtenMessage(message: Message): Message {
  if (message.role === 'tool') return writtenResult(message);
  return message.role === 'assistant' && message.toolCalls !== undefined ? writtenCalls(message) : message;
}

function writtenCalls({ toolCalls = [], ...message }: AssistantMessage): Message {
  const calls: ContentPart = { type: 'text', text: toolCalls.map(writtenCall).join('\n') };
  return toolCalls.length === 0 ? message : { ...message, content: [...message.content, calls] };
}

function writtenCall({ name, arguments: text }: ToolCall): string {
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${text.trim() === '' ? '{}' : text}}\n</tool_call>`;
}

function writtenResult({ toolName, content, isError }: ToolMessage): Message {
  const begin = `<tool_result tool=${JSON.stringify(toolName)}${isError === true ? ' failed="true"' : ''}>\n`;
  const parts = content.map((part) => (part.type === 'text' ? { ...part, text: contained(String(part.text)) } : part));
  return { role: 'user', content: [text(begin), ...parts, text('\n</tool_result>')] };
}

/** A result cannot end its own block and go on as the user. */
function contained(words: string): string {
  return words.replaceAll(/<(\/?)tool_result/gi, '<$1tool-result');
}

function text(words: string): ContentPart {
  return { type: 'text', text: words };
}
