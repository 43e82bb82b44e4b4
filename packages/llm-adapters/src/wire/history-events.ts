import { eventFactory, newEventId, wellFormedEvent } from '@palimpsest/events';
import type {
  AssistantMessage,
  CreateEvent,
  Event,
  EventId,
  EventSource,
  HostFile,
  KnownContent,
  ToolDefinition,
} from '@palimpsest/events';
import { answerBuilder } from './answer-builder.js';
import type { AnswerBuilder } from './answer-builder.js';
import { partsOf } from './read-message.js';
import type { Piece, ReadMessage, ResultPiece } from './read-message.js';
import { unknownToolName } from './received-call.js';
import { readTool } from './tool-definition.js';
import { isReadableInput, loggedArguments } from './tool-input.js';

/** The options of reading a history. */
export interface HistoryOptions {
  /** @defaultValue the system clock */
  readonly now?: () => Date;
  /**
   * Names events, and answers that have no id. Called with the index of the message, so that ids can follow from it; -1 for
   * `system` and `tools`. @defaultValue UUIDv7
   */
  readonly newId?: (message: number) => EventId;
}

/** An event, and the messages of the history from which it was made. */
export interface PlacedEvent {
  readonly event: Event;
  /** Their indices, in order. Empty for `system` and `tools`. */
  readonly messages: readonly number[];
}

/** What differs between the histories of the three APIs. */
export interface HistoryRules {
  /** The type of the events that keep values without a neutral form: `path`, `reason` and the original `value`. */
  readonly setAsideType: `${string}/${string}`;
  /** Neighbouring assistant messages are one answer, unless their ids differ. */
  readonly mergesAnswers: boolean;
  /** Leading system messages are the system prompt. Any other system message takes the place of a user message. */
  readonly startsWithInstructions: boolean;
  /** If true, a call without an id is set aside, because no result can name it. If false, the call gets an id. */
  readonly needsCallIds: boolean;
  /** Signed thinking is set aside if the history before it has changed: the provider would refuse it. */
  readonly bindsThinking: boolean;
}

interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly actionId: EventId;
  readonly responseId: string;
  isAnswered: boolean;
}

interface OpenAnswer {
  id: string | undefined;
  readonly path: string;
  readonly builder: AnswerBuilder;
  /** The messages that it was read from. */
  readonly messages: number[];
  /** The message of each call. */
  readonly messagesOfCalls: number[];
}

interface Leading {
  readonly content: (KnownContent | HostFile)[];
  readonly tools: ToolDefinition[];
  readonly setAsides: PlacedEvent[];
  readonly messages: number[];
}

/**
 * Makes the events of a history, in order. Only blank text of the model is dropped. A history that grows is read on: `read` the
 * new messages and `take` their events.
 */
export class HistoryEvents {
  readonly #rules: HistoryRules;
  readonly #create: CreateEvent;
  readonly #newId: (message: number) => EventId;
  /** The events that have not been taken. */
  #events: PlacedEvent[] = [];
  /** The index of the message that is read. */
  #message = -1;
  readonly #calls: OpenCall[] = [];
  readonly #callsById = new Map<string, OpenCall[]>();
  readonly #answerIds = new Set<string>();
  #answer: OpenAnswer | undefined;
  /** The leading instructions and the values set aside among them; undefined once they are in the log. */
  #leading: Leading | undefined;
  /** The history that is read differs from the history that the provider has seen. */
  #hasChanged = false;

  constructor(options: HistoryOptions, rules: HistoryRules) {
    this.#rules = rules;
    this.#create = eventFactory({ ...(options.now === undefined ? {} : { now: options.now }) });
    this.#newId = options.newId ?? newEventId;
    if (rules.startsWithInstructions) this.#leading = { content: [], tools: [], setAsides: [], messages: [] };
  }

  /** The tools of the requests. Those that only the provider runs are set aside. */
  readTools(tools: readonly unknown[], reason: string): readonly ToolDefinition[] {
    const definitions = tools.flatMap((tool, index) => {
      const definition = readTool(tool);
      if (definition === undefined) this.#setAside(`tools.${index}`, reason, tool);
      return definition ?? [];
    });
    this.#leading?.tools.push(...definitions);
    return definitions;
  }

  /** A separate system prompt. `hasChanged`: the provider has seen it in another form. */
  addSystemPrompt(
    systemPrompt: string,
    dynamicContext: string,
    tools: readonly ToolDefinition[],
    hasChanged = false,
    messages: readonly number[] = [],
  ): void {
    this.#add(
      this.#create('system-prompt', {
        id: this.#newId(messages[0] ?? -1),
        systemPrompt,
        ...(dynamicContext === '' ? {} : { dynamicContext }),
        ...(tools.length === 0 ? {} : { tools }),
      }),
      messages,
    );
    this.#hasChanged ||= hasChanged;
  }

  /** `path` is the message's path in the history. */
  read({ role, id, sender, source, pieces }: ReadMessage, path: string): void {
    this.#message++;
    if (role === 'assistant') {
      this.#readAnswer(id, pieces, path);
      return;
    }
    this.#endAnswer();
    if (role === 'user') this.#readUser(sender, source ?? 'user', pieces, path);
    else if (role === 'system') this.#readInstructions(pieces, path);
    else this.#setAsideUnread(pieces, path);
  }

  end(): readonly Event[] {
    return this.take().map(({ event }) => event);
  }

  /**
   * The events since the last call. Ends the answer or the instructions that are being read: what is read next begins another
   * one.
   */
  take(): readonly PlacedEvent[] {
    this.#endAnswer();
    this.#endInstructions();
    const taken = this.#events;
    this.#events = [];
    return taken.map(({ event, messages }) => ({ event: wellFormedEvent(event), messages }));
  }

  #readInstructions(pieces: readonly Piece[], path: string): void {
    this.#setAsideUnread(pieces, path);
    const content = partsOf(pieces);
    if (this.#leading !== undefined) {
      this.#leading.content.push(...content);
      this.#leading.messages.push(this.#message);
      return;
    }
    if (!this.#rules.startsWithInstructions) this.#hasChanged = true;
    const fields = {
      id: this.#nextId(),
      source: 'environment',
      role: 'user',
      content,
      hostText: 'instruction',
    } as const;
    this.#add(this.#create('message', fields));
  }

  /** Text and results in their original order, so that a result comes before the text after it. */
  #readUser(sender: string | undefined, author: EventSource, pieces: readonly Piece[], path: string): void {
    let words: (KnownContent | HostFile)[] = [];
    let source = author;
    let isReminder = false;
    let hasResults = false;
    const addWords = () => {
      const fields = { id: this.#nextId(), source, role: 'user', content: words } as const;
      this.#add(
        this.#create('message', {
          ...fields,
          ...(sender === undefined ? {} : { sender }),
          ...(isReminder ? { hostText: 'reminder' } : {}),
        }),
      );
      words = [];
    };
    for (const piece of pieces) {
      if (piece.type === 'content') {
        const own = piece.isPreamble === true ? 'environment' : author;
        if (words.length > 0 && own !== source) addWords();
        source = own;
        isReminder = piece.isPreamble === true;
        words.push(piece.part);
      } else if (piece.type === 'result') {
        if (words.length > 0) addWords();
        this.#addResult(piece, path);
        hasResults = true;
      } else this.#setAsideUnread([piece], path);
    }
    if (words.length > 0 || !hasResults) addWords();
  }

  #addResult(result: ResultPiece, path: string): void {
    const toolCallId = result.toolCallId ?? this.#openCallOf(result.toolName);
    if (toolCallId === undefined || result.isOwnTool === true) {
      const reason = toolCallId === undefined ? 'a result that names no call' : ownToolReason;
      this.#setAside(pathIn(path, result.path), reason, result.value);
      return;
    }
    this.#setAsideUnread(result.content, path);
    const calls = this.#callsById.get(toolCallId) ?? [];
    const latest = calls.at(-1);
    const ofAnswer = calls.filter(({ responseId }) => responseId === latest?.responseId);
    const answered = ofAnswer.find(({ isAnswered }) => !isAnswered) ?? latest;
    if (answered !== undefined) answered.isAnswered = true;
    this.#add(
      this.#create('observation', {
        id: this.#nextId(),
        toolCallId,
        toolName: answered?.name ?? unknownToolName,
        ...(answered === undefined ? {} : { actionId: answered.actionId }),
        content: partsOf(result.content),
        ...(result.isError ? { isError: true } : {}),
      }),
    );
  }

  /** The latest open call of a tool, for results that name only their tool. */
  #openCallOf(toolName: string | undefined): string | undefined {
    if (toolName === undefined) return undefined;
    const open = this.#calls.findLast(({ name, isAnswered }) => name === toolName && !isAnswered);
    return open?.id ?? `call_of_${toolName}`;
  }

  #readAnswer(id: string | undefined, pieces: readonly Piece[], path: string): void {
    const isOther = id !== undefined && this.#answer?.id !== undefined && this.#answer.id !== id;
    if (!this.#rules.mergesAnswers || isOther) this.#endAnswer();
    for (const piece of pieces) {
      const problem = this.#problemOf(piece);
      if (problem !== undefined) this.#setAside(pathIn(path, problem.path), problem.reason, problem.value);
      else {
        const answer = this.#openAnswer(path);
        answer.builder.add(piece);
        if (piece.type === 'call') answer.messagesOfCalls.push(this.#message);
      }
    }
    if (pieces.length === 0) this.#openAnswer(path);
    this.#answer?.messages.push(this.#message);
    if (this.#answer !== undefined) this.#answer.id ??= id;
  }

  #openAnswer(path: string): OpenAnswer {
    const newCallId = () => `call_${this.#nextId().replaceAll('-', '')}`;
    const lists = { messages: [], messagesOfCalls: [] };
    return (this.#answer ??= { id: undefined, path, builder: answerBuilder({ newCallId }), ...lists });
  }

  /** The reason why a piece cannot be part of an answer that is sent back. */
  #problemOf(piece: Piece): { readonly path: string; readonly reason: string; readonly value: unknown } | undefined {
    switch (piece.type) {
      case 'unread':
        return piece;
      case 'result':
        return { ...piece, reason: 'a result within an answer' };
      case 'call':
        if (piece.isOwnTool === true) return { ...piece, reason: ownToolReason };
        if (piece.name === undefined) return { ...piece, reason: 'a call that names no tool' };
        return piece.id === undefined && this.#rules.needsCallIds
          ? { ...piece, reason: 'a call without an id' }
          : undefined;
      default:
        return undefined;
    }
  }

  #endAnswer(): void {
    const answer = this.#answer;
    this.#answer = undefined;
    if (answer === undefined) return;
    const { message, isReordered } = answer.builder.end();
    const { thinkingBlocks, ...unbound } = message;
    const isBroken = this.#rules.bindsThinking && this.#hasChanged && thinkingBlocks !== undefined;
    if (isBroken) {
      this.#setAside(answer.path, 'the history before it has changed, to which it is bound', thinkingBlocks);
    }
    this.#addAnswer(isBroken ? unbound : message, answer);
    if (isReordered) this.#hasChanged = true;
  }

  #addAnswer(
    { content, toolCalls = [], role: _role, ...thinking }: AssistantMessage,
    { id, messages, messagesOfCalls }: OpenAnswer,
  ): void {
    const [first = -1] = messages;
    // Each answer gets its own response id, because servers can repeat ids.
    const llmResponseId = id !== undefined && !this.#answerIds.has(id) ? id : this.#newId(first);
    this.#answerIds.add(llmResponseId);
    if (toolCalls.length === 0) {
      const fields = { id: this.#newId(first), source: 'agent', role: 'assistant', content, llmResponseId } as const;
      this.#add(this.#create('message', { ...fields, ...thinking }), messages);
    }
    const [ofFirstCall, ...ofOtherCalls] = messagesOfCalls;
    const ofFirst = messages.filter((message) => message === ofFirstCall || !ofOtherCalls.includes(message));
    toolCalls.forEach((call, index) => {
      const toolCall = { ...call, arguments: loggedArguments(call.arguments) };
      const said = index === 0 ? { thought: content, ...thinking } : { thought: [] };
      const readable = isReadableInput(toolCall.arguments) ? {} : { executable: false };
      const message = messagesOfCalls[index] ?? first;
      const action = this.#create('action', {
        id: this.#newId(message),
        ...said,
        toolCall,
        llmResponseId,
        ...readable,
      });
      const { id: callId, name } = toolCall;
      const open = { id: callId, name, actionId: action.id, responseId: llmResponseId, isAnswered: false };
      this.#calls.push(open);
      const sameId = this.#callsById.get(callId);
      if (sameId === undefined) this.#callsById.set(callId, [open]);
      else sameId.push(open);
      this.#add(action, index === 0 ? ofFirst : [message]);
    });
  }

  #nextId(): EventId {
    return this.#newId(this.#message);
  }

  #add(event: Event, messages: readonly number[] = [this.#message]): void {
    this.#endInstructions();
    this.#events.push({ event, messages });
  }

  #endInstructions(): void {
    const leading = this.#leading;
    this.#leading = undefined;
    if (leading === undefined) return;
    const { content, tools, setAsides, messages } = leading;
    // Tools alone make no system prompt: an empty one would end the instructions of the messages before these.
    if (content.length > 0) {
      const text = content
        .flatMap((part) => (part.type === 'text' ? [part.text] : part.type === 'image' ? [part.url] : []))
        .join('\n\n');
      this.addSystemPrompt(text, '', tools, false, messages);
    }
    this.#events.push(...setAsides);
  }

  #setAsideUnread(pieces: readonly Piece[], path: string): void {
    for (const piece of pieces) {
      if (piece.type === 'unread') this.#setAside(pathIn(path, piece.path), piece.reason, piece.value);
      else if (piece.type !== 'content') this.#setAside(path, `no place for a ${piece.type} here`, piece);
    }
  }

  #setAside(path: string, reason: string, value: unknown): void {
    this.#hasChanged = true;
    // A JSON copy, because a client's objects can have undefined fields.
    const kept: unknown = JSON.parse(JSON.stringify(value ?? null));
    const fields = { id: this.#nextId(), source: 'environment', path, reason, value: kept } as const;
    const event = this.#create(this.#rules.setAsideType, fields);
    (this.#leading?.setAsides ?? this.#events).push({ event, messages: this.#message < 0 ? [] : [this.#message] });
  }
}

const ownToolReason = 'a tool with item types of its own: no request of the adapter declares it';

function pathIn(message: string, piece: string): string {
  return piece === '' ? message : `${message}.${piece}`;
}
