import { eventFactory, newEventId, wellFormedEvent } from '@palimpsest/events';
import type {
  AssistantMessage,
  ContentPart,
  KnownContent,
  CreateEvent,
  Event,
  EventId,
  ToolCall,
  ToolDefinition,
} from '@palimpsest/events';
import { InvalidRequestError } from '../errors.js';
import { field, textOf } from '../http-failure.js';
import { imageInPart } from './ai-sdk-parts.js';
import { isReasoning } from './content-text.js';

/** What reading a history depends on besides the history. */
export interface HistoryOptions {
  /** @defaultValue the system clock */
  readonly now?: () => Date;
  /** Names events and answers. @defaultValue UUIDv7 */
  readonly newId?: () => EventId;
}

/** The type of the events that keep what the log has no place for: `path`, `reason` and, as it was, `value`. */
export const setAsideType = 'openai/set-aside';

/** The name under which a result stands whose call is not there. */
export const unknownToolName = 'unknown_tool';

interface OpenCall {
  readonly call: ToolCall;
  readonly actionId: EventId;
  readonly responseId: string;
  isAnswered: boolean;
}

/** Collects the events of a history, in its order. */
export interface HistoryEvents {
  readonly newId: () => EventId;
  /** Instructions. Those before anything else are one system prompt; a later one is a message of the environment. */
  addInstructions(content: readonly KnownContent[]): void;
  addUser(content: readonly ContentPart[], sender?: string): void;
  addAnswer(answer: AssistantMessage): void;
  /** A result of the latest call with that id; of an unknown tool where there is none. */
  addResult(toolCallId: string, content: readonly ContentPart[]): void;
  /** The id of the latest open call of a tool, for results that name no call. */
  openCallOf(toolName: string): string | undefined;
  setAside(path: string, reason: string, value: unknown): void;
  /** All of them, when the history is read. */
  end(): readonly Event[];
}

/** An empty history. */
export function historyEvents(options: HistoryOptions, tools: readonly ToolDefinition[]): HistoryEvents {
  const create: CreateEvent = eventFactory(options);
  const newId = options.newId ?? newEventId;
  const events: Event[] = [];
  const setAsides: Event[] = [];
  const calls: OpenCall[] = [];
  /** The instructions before anything else; undefined as soon as they stand in the log. */
  let leading: KnownContent[] | undefined = [];

  const endInstructions = () => {
    if (leading === undefined) return;
    if (leading.length > 0 || tools.length > 0) {
      const systemPrompt = leading.map((part) => (part.type === 'text' ? part.text : part.url)).join('\n\n');
      events.push(create('system-prompt', { systemPrompt, ...(tools.length === 0 ? {} : { tools }) }));
    }
    leading = undefined;
    events.push(...setAsides.splice(0));
  };
  const add = (event: Event) => {
    endInstructions();
    events.push(event);
  };

  return {
    newId,
    addInstructions: (content) => {
      if (leading !== undefined) leading.push(...content);
      else add(create('message', { source: 'environment', role: 'user', content }));
    },
    addUser: (content, sender) =>
      add(create('message', { source: 'user', role: 'user', content, ...(sender === undefined ? {} : { sender }) })),
    addAnswer: ({ content, toolCalls = [], role: _role, ...thinking }) => {
      const llmResponseId = newId();
      if (toolCalls.length === 0) {
        add(create('message', { source: 'agent', role: 'assistant', content, llmResponseId, ...thinking }));
        return;
      }
      toolCalls.forEach((toolCall, index) => {
        const ofAnswer = index === 0 ? { thought: content, ...thinking } : { thought: [] };
        const action = create('action', { toolCall, llmResponseId, ...ofAnswer });
        calls.push({ call: toolCall, actionId: action.id, responseId: llmResponseId, isAnswered: false });
        add(action);
      });
    },
    addResult: (toolCallId, content) => {
      const latest = calls.findLast(({ call }) => call.id === toolCallId);
      const ofAnswer = calls.filter(
        ({ call, responseId }) => call.id === toolCallId && responseId === latest?.responseId,
      );
      const answered = ofAnswer.find(({ isAnswered }) => !isAnswered) ?? latest;
      if (answered !== undefined) answered.isAnswered = true;
      add(
        create('observation', {
          toolCallId,
          toolName: answered?.call.name ?? unknownToolName,
          content,
          ...(answered === undefined ? {} : { actionId: answered.actionId }),
        }),
      );
    },
    openCallOf: (toolName) => calls.findLast(({ call, isAnswered }) => call.name === toolName && !isAnswered)?.call.id,
    setAside: (path, reason, value) => {
      const event = create(setAsideType, { source: 'environment', path, reason, value: asJson(value) });
      if (leading === undefined) events.push(event);
      else setAsides.push(event);
    },
    end: () => {
      endInstructions();
      return events.map((event) => wellFormedEvent(event));
    },
  };
}

/** @throws {@link InvalidRequestError} when it is none. */
export function assertArray(value: unknown, what: string): asserts value is readonly unknown[] {
  if (Array.isArray(value)) return;
  throw new InvalidRequestError(`openai: ${what} takes an array, not ${typeof value}`, { provider: 'openai' });
}

/**
 * The parts of a content, in either API's words. What has no place in the log (audio, files, images by their id) is words that
 * say what is missing, and is set aside. Calls and reasoning among the parts are read elsewhere.
 */
export function contentParts(
  content: unknown,
  path: string,
  setAside: HistoryEvents['setAside'],
): readonly KnownContent[] {
  if (content === null || content === undefined) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) {
    setAside(`${path}.content`, 'content is neither text nor a list of parts', content);
    return [];
  }
  return content.flatMap((part: unknown, index): readonly KnownContent[] => {
    if (typeof part === 'string') return [{ type: 'text', text: part }];
    if (field(part, 'type') === 'tool-call' || isReasoning(part)) return [];
    const text = field(part, 'text') ?? field(part, 'refusal');
    if (typeof text === 'string') return text === '' ? [] : [{ type: 'text', text }];
    const image = field(part, 'image_url');
    const url = textOf(image) ?? textOf(field(image, 'url')) ?? imageInPart(part);
    if (url !== undefined) return [{ type: 'image', url }];
    const type = textOf(field(part, 'type')) ?? typeof part;
    // Mistral's thinking, which is no word of the answer.
    if (type === 'thinking') return [];
    const known = missing[type];
    setAside(`${path}.content.${index}`, known ?? `no part has the type '${type}'`, part);
    return known === undefined ? [] : [{ type: 'text', text: `(${known}.)` }];
  });
}

const missing: Readonly<Record<string, string>> = {
  input_audio: 'Audio is not kept here',
  file: 'A file is not kept here',
  input_file: 'A file is not kept here',
  input_image: 'An image that the provider stores is not kept here',
};

/** Arguments as the JSON text that they are; some keep them parsed. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** What of a value is JSON: the log keeps nothing else. */
function asJson(value: unknown): unknown {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as unknown);
}
