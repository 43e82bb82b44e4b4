import { modelMessages } from '@palimpsest/ai-sdk';
import type { Message } from '@palimpsest/events';
import { pruneMessages } from 'ai';
import type { ModelMessage } from 'ai';
import type { Subject } from './compare.js';
import type { Host } from './ours.js';
import { argumentsOf, textOf } from './text.js';

/** Drops calls and results that are older than so many messages, from each request, and says nothing in their place. */
export function pruning(messages: number): Subject {
  return {
    name: 'ai pruneMessages',
    begin({ start }) {
      const list = start.messages.map(modelMessage);
      return (part) => {
        list.push(...part.messages.map(modelMessage));
        return pruneMessages({ messages: list, toolCalls: `before-last-${messages}-messages` });
      };
    },
  };
}

/** A host of ModelMessages. */
export const aiSdk: Host<{ readonly role: string }> = {
  name: 'AI SDK',
  codec: modelMessages(),
  messageOf: modelMessage,
};

function modelMessage(message: Message): ModelMessage {
  const text = textOf(message);
  switch (message.role) {
    case 'system':
      return { role: 'system', content: text };
    case 'user':
      return { role: 'user', content: text };
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map((call) => ({
        type: 'tool-call' as const,
        toolCallId: call.id,
        toolName: call.name,
        input: argumentsOf(call),
      }));
      return { role: 'assistant', content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls] };
    }
    case 'tool': {
      const output = { type: 'text', value: text } as const;
      const result = {
        type: 'tool-result',
        toolCallId: message.toolCallId,
        toolName: message.toolName,
        output,
      } as const;
      return { role: 'tool', content: [result] };
    }
  }
}
