import type { Message as NeutralMessage } from '@palimpsest/events';
import {
  Message,
  SlidingWindowConversationManager,
  SummarizingConversationManager,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '@strands-agents/sdk';
import type { ContentBlock } from '@strands-agents/sdk';
import type { Subject } from '../compare.js';
import { argumentsOf, textOf } from '../text.js';

interface Manager {
  reduce(options: never): boolean | Promise<boolean>;
}

/** Returns a subject whose manager is called before each model call, as its hook is, and edits the agent's own list. */
function managed(name: string, create: () => Manager, acts: (messages: number) => boolean): Subject {
  return {
    name: `@strands-agents/sdk ${name}`,
    async begin({ start }) {
      const messages = strandsMessages(start.messages);
      const manager = create();
      return async (part) => {
        messages.push(...strandsMessages(part.messages));
        if (acts(messages.length)) await manager.reduce({ agent: { messages }, model: undefined } as never);
        return messages;
      };
    },
  };
}

/** The list of an agent whose window is far from full: what is sent is the list. */
export const unmanaged = managed(
  'with room to spare',
  () => new SlidingWindowConversationManager(),
  () => false,
);

/** Drops what is older than the window, at every step that exceeds it. */
export function sliding(windowSize: number): Subject {
  return managed(
    'SlidingWindowConversationManager',
    () => new SlidingWindowConversationManager({ windowSize }),
    (messages) => messages > windowSize,
  );
}

/** Summarises the older half. */
export function summarizing(summary: string): Subject {
  const message = new Message({ role: 'assistant', content: [new TextBlock(summary)] });
  const model = {
    // Streams nothing before its answer.
    async *streamAggregated() {
      return { message };
    },
  };
  const options = { model: model as never, summaryRatio: 0.5 };
  return managed(
    'SummarizingConversationManager',
    () => new SummarizingConversationManager(options),
    () => true,
  );
}

/** Converts messages. Results of one answer stand in one message of the user's, as the SDK's agent puts them. */
function strandsMessages(messages: readonly NeutralMessage[]): Message[] {
  const made: Message[] = [];
  let results: ContentBlock[] | undefined;
  for (const message of messages) {
    if (message.role !== 'tool') results = undefined;
    const text = textOf(message);
    const words = text === '' ? [] : [new TextBlock(text)];
    if (message.role === 'tool') {
      const status = message.isError === true ? 'error' : 'success';
      const result = new ToolResultBlock({ toolUseId: message.toolCallId, status, content: words });
      if (results !== undefined) results.push(result);
      else {
        results = [result];
        made.push(new Message({ role: 'user', content: results }));
      }
    } else if (message.role === 'assistant') {
      const calls = (message.toolCalls ?? []).map(
        (call) => new ToolUseBlock({ name: call.name, toolUseId: call.id, input: argumentsOf(call) as never }),
      );
      made.push(new Message({ role: 'assistant', content: [...words, ...calls] }));
    } else made.push(new Message({ role: 'user', content: words }));
  }
  return made;
}
