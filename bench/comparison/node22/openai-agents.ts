import { MemorySession } from '@openai/agents';
import type { AgentInputItem } from '@openai/agents';
import type { Message } from '@palimpsest/events';
import type { Subject } from '../compare.js';
import { textOf } from '../text.js';

/**
 * Adds to a session of the SDK, and reads it before each turn, whole or its newest items. That is what the SDK has for a history
 * without a server. It cuts anywhere, also between a call and its result.
 */
export function session(name: string, newest?: number): Subject {
  return {
    name: `@openai/agents ${name}`,
    begin({ start }) {
      const held = new MemorySession({ initialItems: start.messages.flatMap(items) });
      return async ({ messages }) => {
        await held.addItems(messages.flatMap(items));
        return held.getItems(newest);
      };
    },
  };
}

function items(message: Message): AgentInputItem[] {
  const text = textOf(message);
  switch (message.role) {
    case 'system':
    case 'user':
      return [{ role: message.role, content: text }];
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map((call): AgentInputItem => ({
        type: 'function_call',
        callId: call.id,
        name: call.name,
        arguments: call.arguments,
        status: 'completed',
      }));
      const words: AgentInputItem = {
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text }],
      };
      return text === '' ? calls : [words, ...calls];
    }
    case 'tool': {
      const output = { type: 'text', text } as const;
      return [
        {
          type: 'function_call_result',
          callId: message.toolCallId,
          name: message.toolName,
          status: 'completed',
          output,
        },
      ];
    }
  }
}
