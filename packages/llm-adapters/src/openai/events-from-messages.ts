import type { AssistantMessage, ContentPart, Event, ToolCall, ToolDefinition } from '@palimpsest/events';
import type OpenAI from 'openai';
import { field, textOf } from '../http-failure.js';
import { callsInParts, resultsInParts } from './ai-sdk-parts.js';
import { thinkingIn } from './content-text.js';
import { argumentsText, assertArray, contentParts, historyEvents } from './history-events.js';
import type { HistoryEvents, HistoryOptions } from './history-events.js';
import { blocksOfSignatures } from './thought-signatures.js';

/** Options of {@link eventsFromMessages}. */
export interface EventsFromMessagesOptions extends HistoryOptions {
  /** The `tools` of the requests in which the messages were sent. @defaultValue none */
  readonly tools?: readonly OpenAI.Chat.ChatCompletionTool[];
}

/**
 * The events of a history that is held as messages of Chat Completions: the start for those who have no event log. What
 * `toChatCompletionsRequest({ messages: view.toMessages() })` makes of them is the same history, in the form that
 * {@link toChatCompletionsRequest} gives every history.
 *
 * - System and developer messages before anything else become one system prompt, with the tools; a later one becomes a message
 *   of the source `environment`, in the user's place where it stood.
 * - Words of the user become messages of the source `user`, `name` their sender.
 * - An assistant message with calls becomes one batch of actions, its words and thinking (`reasoning_content`, Gemini's
 *   signatures) on the first; one without becomes a message. A refusal and the transcript of audio are its words. A call of
 *   the old kind (`function_call`) gets an id, and the `function` message after it is its result.
 * - Calls as LangChain has them (`name` and `args`), and the parts of the AI SDK (`tool-call`, `tool-result`, `reasoning`,
 *   images with their data), mean the same.
 * - A tool message becomes the observation of the latest call with its id.
 *
 * Nothing is thrown away but empty text. A result without a call becomes an observation of {@link unknownToolName}, and a
 * second result for a call a second observation: views leave both out, and say so. A call without a result stays open. What has
 * no place (unknown roles and parts, audio, files, OpenRouter's
 * `reasoning_details`, annotations, what is no message) becomes an event of the type {@link setAsideType} where
 * it stood, which no model reads; for audio and files there are words that say so.
 *
 * @throws {@link InvalidRequestError} when `messages` is no array.
 *
 * @example
 * ```ts
 * const log = eventsFromMessages(params.messages, { tools: params.tools });
 * const { messages } = toChatCompletionsRequest({ messages: View.fromEvents(log).toMessages() }, { model });
 * ```
 */
export function eventsFromMessages(
  messages: readonly (OpenAI.Chat.ChatCompletionMessageParam | { readonly role: string; readonly content?: unknown })[],
  options: EventsFromMessagesOptions = {},
): readonly Event[] {
  assertArray(messages, 'eventsFromMessages');
  const unusable: [path: string, tool: unknown][] = [];
  const tools = (options.tools ?? []).flatMap((tool: unknown, index): readonly ToolDefinition[] => {
    const definition = toolFrom(field(tool, 'function'));
    if (definition === undefined) unusable.push([`tools.${index}`, tool]);
    return definition === undefined ? [] : [definition];
  });
  const history = historyEvents(options, tools);
  for (const [path, tool] of unusable) history.setAside(path, 'not a function that a model can call', tool);
  messages.forEach((message: unknown, index) => readMessage(message, `messages.${index}`, history));
  return history.end();
}

/** A function as either API declares it; undefined for the provider's own tools. */
export function toolFrom(declared: unknown): ToolDefinition | undefined {
  const name = textOf(field(declared, 'name'));
  const parameters = field(declared, 'parameters');
  if (name === undefined) return undefined;
  const isSchema = typeof parameters === 'object' && parameters !== null && !Array.isArray(parameters);
  return {
    name,
    description: textOf(field(declared, 'description')) ?? '',
    inputSchema: isSchema ? (parameters as Record<string, unknown>) : { type: 'object', properties: {} },
  };
}

function readMessage(message: unknown, path: string, history: HistoryEvents): void {
  const parts = () => contentParts(field(message, 'content'), path, history.setAside);
  const role = field(message, 'role');
  switch (role) {
    case 'system':
    case 'developer':
      history.addInstructions(parts());
      break;
    case 'user':
      history.addUser(parts(), textOf(field(message, 'name')));
      break;
    case 'assistant':
      history.addAnswer(answerFrom(message, path, history));
      break;
    case 'tool': {
      const id = textOf(field(message, 'tool_call_id'));
      const results = id === undefined ? resultsInParts(field(message, 'content')) : undefined;
      if (id !== undefined) history.addResult(id, parts());
      else if (results === undefined) history.setAside(path, 'a tool message that answers no call', message);
      else {
        for (const { toolCallId, content } of results) {
          history.addResult(toolCallId, contentParts(content, path, history.setAside));
        }
      }
      break;
    }
    case 'function': {
      const name = textOf(field(message, 'name')) ?? '';
      history.addResult(history.openCallOf(name) ?? `call_of_${name}`, parts());
      break;
    }
    default: {
      const reason = typeof role === 'string' ? `no message has the role '${role}'` : 'not a message';
      history.setAside(path, reason, message);
    }
  }
}

function answerFrom(message: unknown, path: string, history: HistoryEvents): AssistantMessage {
  const refusal = textOf(field(message, 'refusal'));
  const content: ContentPart[] = [
    ...contentParts(field(message, 'content'), path, history.setAside),
    ...(refusal === undefined ? [] : [{ type: 'text' as const, text: refusal }]),
    ...spoken(field(message, 'audio'), path, history),
  ];
  const listed = field(message, 'tool_calls');
  const wireCalls: readonly unknown[] = Array.isArray(listed) ? listed : callsInParts(field(message, 'content'));
  for (const key of ['reasoning_details', 'annotations']) {
    const details = field(message, key);
    if (Array.isArray(details) && details.length > 0)
      history.setAside(`${path}.${key}`, 'it is not sent back', details);
  }
  const calls = wireCalls.flatMap((call, index): readonly ToolCall[] => {
    const read = callFrom(call, history.newId);
    if (read === undefined) history.setAside(`${path}.tool_calls.${index}`, 'a call that names no tool', call);
    return read === undefined ? [] : [read];
  });
  const legacy = field(message, 'function_call');
  if (legacy !== undefined && legacy !== null) {
    const read = callFrom({ function: legacy }, history.newId);
    if (read === undefined) history.setAside(`${path}.function_call`, 'a call that names no tool', legacy);
    else calls.push(read);
  }
  const reasoningContent = thinkingIn(message);
  const thinkingBlocks = blocksOfSignatures(wireCalls, content.length);
  return {
    role: 'assistant',
    content,
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(thinkingBlocks.length === 0 ? {} : { thinkingBlocks }),
    ...(reasoningContent === undefined ? {} : { reasoningContent }),
  };
}

/** A call of a function, or of a custom tool, whose input is its arguments. */
function callFrom(call: unknown, newId: () => string): ToolCall | undefined {
  // LangChain lays a call's fields side by side.
  const called = field(call, 'function') ?? field(call, 'custom') ?? call;
  const name = textOf(field(called, 'name'));
  if (name === undefined) return undefined;
  return {
    id: textOf(field(call, 'id')) ?? `call_${newId().replaceAll('-', '')}`,
    name,
    arguments: argumentsText(field(called, 'arguments') ?? field(called, 'input') ?? field(called, 'args')),
  };
}

function spoken(audio: unknown, path: string, history: HistoryEvents): readonly ContentPart[] {
  if (audio === undefined || audio === null) return [];
  history.setAside(`${path}.audio`, 'Audio is not kept here', audio);
  return [{ type: 'text', text: textOf(field(audio, 'transcript')) ?? '(Audio is not kept here.)' }];
}
