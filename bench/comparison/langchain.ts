import { FakeListChatModel } from '@langchain/core/utils/testing';
import { AIMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import type { BaseMessage } from '@langchain/core/messages';
import type { Message } from '@palimpsest/events';
import { langchainMessages } from '@palimpsest/langchain';
import { ClearToolUsesEdit, contextEditingMiddleware, summarizationMiddleware } from 'langchain';
import type { Subject } from './compare.js';
import type { Host } from './ours.js';
import { argumentsOf, textOf } from './text.js';

interface Middleware {
  readonly beforeModel?: unknown;
  readonly wrapModelCall?: unknown;
}

/** Clears old results in each request. The history keeps them, so each request is edited anew. */
export function editing(tokens: number, mostSteps?: number): Subject {
  return {
    name: 'langchain contextEditingMiddleware',
    ...(mostSteps !== undefined && { mostSteps }),
    begin({ start }) {
      const chain = start.messages.map(chainMessage);
      const edit = new ClearToolUsesEdit({ trigger: { tokens }, keep: { messages: 12 } });
      const { wrapModelCall } = contextEditingMiddleware({ edits: [edit] }) as Middleware;
      const wrap = wrapModelCall as (request: unknown, handler: (request: unknown) => unknown) => Promise<unknown>;
      return ({ messages }) => {
        chain.push(...messages.map(chainMessage));
        // The middleware edits the list that it is given: a graph gives each request its own.
        return wrap({ messages: [...chain] }, (request) => request);
      };
    },
  };
}

/** Summarises what is older than the newest messages, once there are too many. */
export function summarizing(trigger: number, keep: number, summary: string): Subject {
  return {
    name: 'langchain summarizationMiddleware',
    begin({ start }) {
      let chain = start.messages.map(chainMessage);
      const options = {
        model: new FakeListChatModel({ responses: [summary] }),
        trigger: { messages: trigger },
        keep: { messages: keep },
        // By default the model reads only the last 4,000 tokens; with Palimpsest it reads all.
        trimTokensToSummarize: 1_000_000_000,
      };
      const { beforeModel } = summarizationMiddleware(options as never) as Middleware;
      const before = beforeModel as (
        state: unknown,
        runtime: unknown,
      ) => Promise<{ messages: BaseMessage[] } | undefined>;
      return async ({ messages }) => {
        chain.push(...messages.map(chainMessage));
        const change = await before({ messages: [...chain] }, { context: {} });
        // What the graph makes of it: the first of them removes all earlier messages.
        if (change !== undefined) chain = change.messages.filter((message) => !(message instanceof RemoveMessage));
        return [...chain];
      };
    },
  };
}

/** A host of LangChain's messages. */
export const langchain: Host<BaseMessage> = {
  name: 'LangChain',
  codec: langchainMessages(),
  messageOf: chainMessage,
};

let newId = 0;

/** Returns a message with an id, as the messages of a graph have one. */
function chainMessage(message: Message): BaseMessage {
  const [content, id] = [textOf(message), `message-${newId++}`];
  switch (message.role) {
    case 'system':
      return new SystemMessage({ content, id });
    case 'user':
      return new HumanMessage({ content, id });
    case 'assistant': {
      const calls = message.toolCalls ?? [];
      return new AIMessage({
        content,
        id,
        tool_calls: calls.map((call) => ({ id: call.id, name: call.name, args: argumentsOf(call) })),
      });
    }
    case 'tool':
      return new ToolMessage({ content, id, tool_call_id: message.toolCallId, name: message.toolName });
  }
}
