import type { Message } from '@palimpsest/events';

/**
 * The canonical sequence of what is sent: every part with its role, however the parts are put into messages. Three entries
 * for each part, so that long texts are compared by reference and never copied.
 */
export function canonicalSequence(messages: readonly Message[]): readonly string[] {
  const sequence: string[] = [];
  for (const message of messages) {
    const before = sequence.length;
    if (message.role === 'assistant') {
      for (const block of message.thinkingBlocks ?? []) {
        if (block.type === 'thinking') sequence.push('thinking', block.signature ?? '', block.thinking);
        else if (block.type === 'redacted-thinking') sequence.push('redacted-thinking', '', block.data);
      }
      for (const item of message.reasoningItems ?? []) {
        sequence.push('reasoning', item.id ?? '', item.encryptedContent ?? '');
      }
    }
    const role = message.role === 'tool' ? `tool ${message.toolCallId}` : message.role;
    for (const part of message.content) {
      // Parts of other kinds are not sent.
      if (part.type === 'text') sequence.push(role, part.type, part.text);
      else if (part.type === 'image') sequence.push(role, part.type, part.url);
    }
    if (message.role === 'assistant') {
      for (const call of message.toolCalls ?? []) sequence.push(`call ${call.id}`, call.name, call.arguments);
    }
    if (sequence.length === before) sequence.push(role, 'empty', '');
  }
  return sequence;
}

/** True where the later sequence begins with the whole of the earlier one, so that a provider's prefix cache still holds. */
export function extendsSequence(earlier: readonly string[], later: readonly string[]): boolean {
  return earlier.length <= later.length && earlier.every((entry, index) => entry === later[index]);
}
