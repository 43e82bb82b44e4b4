import { eventFactory, newEventId, wellFormedEvent } from '@palimpsest/events';
import type { ContentPart, CreateEvent, Event, EventId, ToolDefinition } from '@palimpsest/events';
import { InvalidRequestError } from '../errors.js';
import { field, textOf } from '../http-failure.js';
import { answerBuilder } from './answer-builder.js';
import type { Answer, AnswerBuilder } from './answer-builder.js';
import { partsFromBlock } from './parts-from-block.js';

/** A message as the Messages API takes it, of any version of the SDK; or an answer as the API gives it, which has an `id`. */
export interface HeldMessage {
  readonly role: string;
  readonly content: string | readonly { readonly type: string }[];
  readonly id?: string;
}

/** Options of {@link eventsFromMessages}. */
export interface EventsFromMessagesOptions {
  /** The `system` of the requests in which the messages were sent. @defaultValue no instructions */
  readonly system?: string | readonly { readonly text: string }[] | undefined;
  /** The `tools` of those requests. @defaultValue none */
  readonly tools?: readonly object[] | undefined;
  /** @defaultValue the system clock */
  readonly now?: () => Date;
  /** Names events, and answers that have no `id`. @defaultValue UUIDv7 */
  readonly newId?: () => EventId;
}

/** The type of the events that keep what the log has no place for: `path`, `reason` and, as it was, `value`. */
export const setAsideType = 'anthropic/set-aside';

/** The name under which a result stands whose call is not there. */
export const unknownToolName = 'unknown_tool';

/**
 * The events of a history that is held as messages of the Messages API: the start for those who have no event log. What
 * `toMessagesRequest(view.toMessages())` makes of them is the same history, in the form that {@link toMessagesRequest} gives
 * every history.
 *
 * - `system` and `tools` become a system prompt. Of several blocks those up to the last with a mark for the cache, else the
 *   first, are its static part; the blocks of a part are joined by a blank line.
 * - Words of the user become messages of the source `user`; results become observations, `is_error` and images included.
 * - Neighbouring messages of the model are one answer, unless they have two `id`s. Its calls become the actions of one batch,
 *   with its words and its thinking, in their order and with their signatures, on the first. Words after a call come before it.
 * - A message of the role `system` becomes one of the source `environment`, in the user's place.
 *
 * Nothing is thrown away but marks for the cache and blank text of the model. A result without a call becomes an observation
 * of {@link unknownToolName}, and a second result for a call a second observation: views leave both out, and say so. A call
 * without a result stays open. Blocks, tools and messages that have no place (files, documents, the provider's own tools,
 * citations, what is malformed) become events of the type {@link setAsideType} where they stood, which no model reads; of
 * documents and search results the text is kept as text, and for other blocks there are words that say what is missing. Where
 * the history has changed by that, signed thinking from there on is set aside too: the provider would not take it back.
 *
 * @throws {@link InvalidRequestError} when `messages` is no array.
 *
 * @example
 * ```ts
 * const log = eventsFromMessages(params.messages, { system: params.system, tools: params.tools });
 * const { messages } = toMessagesRequest({ messages: View.fromEvents(log).toMessages() }, { model });
 * ```
 */
export function eventsFromMessages(
  messages: readonly HeldMessage[],
  options: EventsFromMessagesOptions = {},
): readonly Event[] {
  if (!Array.isArray(messages)) {
    const message = `anthropic: eventsFromMessages takes an array of messages, not ${typeof messages}`;
    throw new InvalidRequestError(message, { provider: 'anthropic' });
  }
  const reader = new MessageReader(options);
  reader.readInstructions(options);
  messages.forEach((message: unknown, index) => reader.readMessage(message, `messages.${index}`));
  return reader.end();
}

/** Reads messages in their order. */
class MessageReader {
  readonly #create: CreateEvent;
  readonly #newId: () => EventId;
  readonly #events: Event[] = [];
  readonly #calls = new Map<string, { readonly actionId: EventId; readonly toolName: string }>();
  readonly #answerIds = new Set<string>();
  #answer: AnswerBuilder | undefined;
  /** What is read is no longer what the provider has seen, so thinking after it would not verify. */
  #hasChanged = false;

  constructor(options: EventsFromMessagesOptions) {
    this.#create = eventFactory(options);
    this.#newId = options.newId ?? newEventId;
  }

  readInstructions({ system, tools }: EventsFromMessagesOptions): void {
    const blocks = typeof system === 'string' ? [{ text: system }] : (system ?? []);
    const markedAt = blocks.findLastIndex(isMarked);
    const splitAt = Math.max(markedAt, 0) + 1;
    const text = (some: readonly { readonly text: string }[]) => some.map((block) => block.text).join('\n\n');
    const dynamicContext = text(blocks.slice(splitAt));
    const definitions = (tools ?? []).flatMap((tool, index) => this.#readTool(tool, `tools.${index}`));
    if (blocks.length > 0 || definitions.length > 0) {
      this.#events.push(
        this.#create('system-prompt', {
          systemPrompt: text(blocks.slice(0, splitAt)),
          ...(dynamicContext === '' ? {} : { dynamicContext }),
          ...(definitions.length === 0 ? {} : { tools: definitions }),
        }),
      );
    }
    if (blocks.length > 2) this.#hasChanged = true;
  }

  readMessage(message: unknown, path: string): void {
    const role = field(message, 'role');
    if (role !== 'assistant') this.#endAnswer();
    const content = field(message, 'content');
    const blocks: readonly unknown[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
    switch (role) {
      case 'assistant':
        this.#readAnswer(message, blocks, path);
        this.#setAsideForeignCalls(message, path);
        return;
      case 'user':
        this.#readUser(blocks, path);
        return;
      case 'system':
        this.#hasChanged = true;
        this.#addWords('environment', this.#partsOf(blocks, path));
        return;
      default:
        this.#setAside(path, message, `no message has the role '${String(role)}'`);
    }
  }

  end(): readonly Event[] {
    this.#endAnswer();
    return this.#events.map((event) => wellFormedEvent(event));
  }

  #readTool(tool: unknown, path: string): readonly ToolDefinition[] {
    const name = textOf(field(tool, 'name'));
    const inputSchema = field(tool, 'input_schema');
    if (name === undefined || typeof inputSchema !== 'object' || inputSchema === null) {
      this.#setAside(path, tool, 'only the provider can run it');
      return [];
    }
    const description = textOf(field(tool, 'description')) ?? '';
    return [{ name, description, inputSchema: inputSchema as Readonly<Record<string, unknown>> }];
  }

  /** Words and results as they stand, so that a result stands before what was said after it. */
  #readUser(blocks: readonly unknown[], path: string): void {
    let words: ContentPart[] = [];
    const addWords = () => {
      if (words.length > 0) this.#addWords('user', words);
      words = [];
    };
    blocks.forEach((block, index) => {
      const blockPath = `${path}.content.${index}`;
      const toolCallId = textOf(field(block, 'tool_use_id'));
      if (field(block, 'type') === 'tool_result' && toolCallId !== undefined) {
        addWords();
        this.#addResult(block, toolCallId, blockPath);
      } else {
        words.push(...this.#partsOf([block], blockPath, true));
      }
    });
    addWords();
    if (blocks.length === 0) this.#addWords('user', []);
  }

  #addResult(block: unknown, toolCallId: string, path: string): void {
    const call = this.#calls.get(toolCallId);
    const content = field(block, 'content');
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
    this.#events.push(
      this.#create('observation', {
        toolCallId,
        toolName: call?.toolName ?? unknownToolName,
        ...(call === undefined ? {} : { actionId: call.actionId }),
        content: this.#partsOf(blocks, path),
        ...(field(block, 'is_error') === true ? { isError: true } : {}),
      }),
    );
  }

  #addWords(source: 'user' | 'environment', content: readonly ContentPart[]): void {
    this.#events.push(this.#create('message', { source, role: 'user', content: [...content] }));
  }

  #partsOf(blocks: readonly unknown[], path: string, isWholePath = false): readonly ContentPart[] {
    return blocks.flatMap((block, index) => {
      const { parts, setAside } = partsFromBlock(block);
      if (setAside !== undefined) this.#setAside(isWholePath ? path : `${path}.content.${index}`, block, setAside);
      return parts;
    });
  }

  #readAnswer(message: unknown, blocks: readonly unknown[], path: string): void {
    const id = textOf(field(message, 'id'));
    if (id !== undefined && this.#answer?.id !== undefined && this.#answer.id !== id) this.#endAnswer();
    this.#answer ??= answerBuilder();
    this.#answer.add(id, blocks, path);
  }

  /** What another provider's messages have in place of blocks would else be lost without a word. */
  #setAsideForeignCalls(message: unknown, path: string): void {
    const calls = listOf(field(message, 'tool_calls'));
    if (calls.length > 0)
      this.#setAside(`${path}.tool_calls`, calls, 'calls in the form of Chat Completions: see ./openai');
  }

  #endAnswer(): void {
    const answer = this.#answer?.end();
    this.#answer = undefined;
    if (answer === undefined) return;
    for (const { path, value, reason } of answer.setAside) this.#setAside(path, value, reason);
    const hasThinking = answer.thinkingBlocks.length > 0;
    if (hasThinking && this.#hasChanged) {
      this.#setAside(answer.path, answer.thinkingBlocks, 'the history before it has changed, to which it is bound');
    }
    this.#addAnswer(answer, hasThinking && !this.#hasChanged ? { thinkingBlocks: answer.thinkingBlocks } : {});
    if (answer.isReordered) this.#hasChanged = true;
  }

  #addAnswer(answer: Answer, thinking: Pick<Partial<Answer>, 'thinkingBlocks'>): void {
    // Each answer is a response of its own, whatever the server that made them called them.
    const isNew = answer.id !== undefined && !this.#answerIds.has(answer.id);
    const llmResponseId = isNew ? answer.id : this.#newId();
    this.#answerIds.add(llmResponseId);
    const { content } = answer;
    if (answer.calls.length === 0) {
      const words = { source: 'agent', role: 'assistant', content, llmResponseId } as const;
      this.#events.push(this.#create('message', { ...words, ...thinking }));
    }
    answer.calls.forEach((toolCall, index) => {
      const first = index === 0 ? { thought: content, ...thinking } : { thought: [] };
      const action = this.#create('action', { ...first, toolCall, llmResponseId });
      this.#calls.set(toolCall.id, { actionId: action.id, toolName: toolCall.name });
      this.#events.push(action);
    });
  }

  #setAside(path: string, value: unknown, reason: string): void {
    this.#hasChanged = true;
    // A copy as JSON: what a client holds may have fields that are undefined.
    const kept: unknown = JSON.parse(JSON.stringify(value ?? null));
    this.#events.push(this.#create(setAsideType, { source: 'environment', path, reason, value: kept }));
  }
}

function isMarked(block: unknown): boolean {
  const mark = field(block, 'cache_control');
  return mark !== undefined && mark !== null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
