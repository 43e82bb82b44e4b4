import { newEventId, parseEvent, wellFormedEvent } from '@palimpsest/events';
import type {
  ActionEvent,
  AssistantMessage,
  Event,
  EventId,
  EventSource,
  HostFile,
  KnownContent,
  MessageEvent,
  ObservationEvent,
  Thinking,
  ToolCall,
  ToolDefinition,
} from '@palimpsest/events';
import { AnswerBuilder } from './answer-builder.js';
import type { Mutable } from './answer-builder.js';
import { partsOf, readTool, unknownToolName } from './pieces.js';
import type { Piece, ReadMessage, ResultPiece } from './pieces.js';
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

/** The differences between the histories of the three APIs. */
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
  /**
   * The pieces come from elsewhere than the readers of this package, so each event is checked and copied. Those of the readers
   * are new objects of the right shape: their events are frozen in place. @defaultValue false
   */
  readonly areForeign?: boolean;
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
export class HistoryReader {
  readonly #rules: HistoryRules;
  readonly #now: () => Date;
  /** The time that was asked last. */
  #time = { ms: NaN, text: '' };
  readonly #newId: (message: number) => EventId;
  /** The events that have not been taken. */
  #events: PlacedEvent[] = [];
  /** The index of the message that is read. */
  #message = -1;
  readonly #newCallId = () => `call_${this.#nextId().replaceAll('-', '')}`;
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
    this.#now = options.now ?? (() => new Date());
    this.#newId = options.newId ?? newEventId;
    if (rules.startsWithInstructions) this.#leading = { content: [], tools: [], setAsides: [], messages: [] };
  }

  /** Reads the tools of the requests. Those that only the provider runs are set aside. */
  readTools(tools: readonly unknown[], reason: string): readonly ToolDefinition[] {
    const definitions = tools.flatMap((tool, index) => {
      const definition = readTool(tool);
      if (definition === undefined) this.#setAside(`tools.${index}`, reason, tool);
      return definition ?? [];
    });
    this.#leading?.tools.push(...definitions);
    return definitions;
  }

  /** Adds a separate system prompt. `hasChanged`: the provider has seen it in another form. */
  addSystemPrompt(
    systemPrompt: string,
    dynamicContext: string,
    tools: readonly ToolDefinition[],
    hasChanged = false,
    messages: readonly number[] = [],
  ): void {
    const prompt = parseEvent({
      type: 'system-prompt',
      id: this.#newId(messages[0] ?? -1),
      timestamp: this.#timestamp(),
      source: 'agent',
      systemPrompt,
      ...(dynamicContext === '' ? {} : { dynamicContext }),
      // A request's tools are objects of its host.
      ...(tools.length === 0 ? {} : { tools }),
    });
    this.#add(wellFormedEvent(prompt), messages);
    this.#hasChanged ||= hasChanged;
  }

  /** Reads the next message. `path` is its path in the history. */
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

  /** Counts a message, and the events that another reading has made of it alone. They are not made again. */
  readAgain(events: readonly Event[]): void {
    this.#message++;
    this.#endAnswer();
    this.#endInstructions();
    for (const event of events) {
      if (event.type === 'action') this.#openCall(event);
      else if (event.type === 'observation') {
        const answered = this.#callAnsweredBy(event.toolCallId);
        if (answered !== undefined) answered.isAnswered = true;
      }
      if ((event.type === 'action' || event.type === 'message') && event.llmResponseId !== undefined)
        this.#answerIds.add(event.llmResponseId);
    }
  }

  end(): readonly Event[] {
    return this.takeEvents().map(({ event }) => event);
  }

  /**
   * Returns the events since the last call. Ends the answer or the instructions that are being read: what is read next
   * begins another one.
   */
  takeEvents(): readonly PlacedEvent[] {
    this.#endAnswer();
    this.#endInstructions();
    const taken = this.#events;
    this.#events = [];
    return taken;
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
    this.#addMessage({ source: 'environment', content, hostText: 'instruction' });
  }

  /** Reads text and results in their original order, so that a result comes before the text after it. */
  #readUser(sender: string | undefined, author: EventSource, pieces: readonly Piece[], path: string): void {
    let words: (KnownContent | HostFile)[] = [];
    let source = author;
    let isReminder = false;
    let hasResults = false;
    const addWords = () => {
      this.#addMessage({ source, content: words, sender, hostText: isReminder ? 'reminder' : undefined });
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

  #addMessage(message: {
    readonly source: EventSource;
    readonly content: readonly (KnownContent | HostFile)[];
    readonly sender?: string | undefined;
    readonly hostText?: MessageEvent['hostText'] | undefined;
  }): void {
    const { source, content, sender, hostText } = message;
    const event: Mutable<MessageEvent> = {
      type: 'message',
      id: this.#nextId(),
      timestamp: this.#timestamp(),
      source,
      role: 'user',
      content,
    };
    if (sender !== undefined) event.sender = sender;
    if (hostText !== undefined) event.hostText = hostText;
    this.#add(this.#made(event));
  }

  #addResult(result: ResultPiece, path: string): void {
    const toolCallId = result.toolCallId ?? this.#openCallOf(result.toolName);
    if (toolCallId === undefined || result.isOwnTool === true) {
      const reason = toolCallId === undefined ? 'a result that names no call' : ownToolReason;
      this.#setAside(pathIn(path, result.path), reason, result.value);
      return;
    }
    this.#setAsideUnread(result.content, path);
    const answered = this.#callAnsweredBy(toolCallId);
    const event: Mutable<ObservationEvent> = {
      type: 'observation',
      id: this.#nextId(),
      timestamp: this.#timestamp(),
      source: 'environment',
      toolCallId,
      toolName: answered?.name ?? unknownToolName,
      content: partsOf(result.content),
    };
    if (answered !== undefined) {
      answered.isAnswered = true;
      event.actionId = answered.actionId;
    }
    if (result.isError) event.isError = true;
    this.#add(this.#made(event));
  }

  /** Returns, of the newest answer's calls with an id, the first that has no result, else the newest call. */
  #callAnsweredBy(toolCallId: string): OpenCall | undefined {
    const calls = this.#callsById.get(toolCallId.toWellFormed());
    const latest = calls?.at(-1);
    if (calls?.length === 1 || latest === undefined) return latest;
    return calls?.find(({ responseId, isAnswered }) => responseId === latest.responseId && !isAnswered) ?? latest;
  }

  /** Returns the latest open call of a tool, for results that name only their tool. */
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
    return (this.#answer ??= {
      id: undefined,
      path,
      builder: new AnswerBuilder({ newCallId: this.#newCallId }),
      messages: [],
      messagesOfCalls: [],
    });
  }

  /** Returns the reason why a piece cannot be part of an answer that is sent back. */
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
    const { thinkingBlocks } = message;
    const isBroken = this.#rules.bindsThinking && this.#hasChanged && thinkingBlocks !== undefined;
    if (isBroken) {
      this.#setAside(answer.path, 'the history before it has changed, to which it is bound', thinkingBlocks);
      const { thinkingBlocks: _, ...unbound } = message;
      this.#addAnswer(unbound, answer);
    } else this.#addAnswer(message, answer);
    if (isReordered) this.#hasChanged = true;
  }

  #addAnswer(answer: AssistantMessage, { id, messages, messagesOfCalls }: OpenAnswer): void {
    const { content, toolCalls = [] } = answer;
    const first = messages[0] ?? -1;
    // Each answer gets its own response id, because servers can repeat ids.
    const isNew = id !== undefined && !this.#answerIds.has(id.toWellFormed());
    const llmResponseId = isNew ? id : this.#newId(first);
    this.#answerIds.add(llmResponseId.toWellFormed());
    if (toolCalls.length === 0) {
      const said: Mutable<MessageEvent> = {
        type: 'message',
        id: this.#newId(first),
        timestamp: this.#timestamp(),
        source: 'agent',
        role: 'assistant',
        content,
        llmResponseId,
      };
      addThinking(said, answer);
      this.#add(this.#made(said), messages);
    }
    const ofFirst = messages.length === 1 ? messages : withoutOtherCalls(messages, messagesOfCalls);
    for (let index = 0; index < toolCalls.length; index++) {
      const call = toolCalls[index] as ToolCall;
      const text = loggedArguments(call.arguments);
      const toolCall = text === call.arguments ? call : { ...call, arguments: text };
      const message = messagesOfCalls[index] ?? first;
      const action: Mutable<ActionEvent> = {
        type: 'action',
        id: this.#newId(message),
        timestamp: this.#timestamp(),
        source: 'agent',
        thought: index === 0 ? content : [],
        toolCall,
        llmResponseId,
      };
      if (index === 0) addThinking(action, answer);
      if (!isReadableInput(text)) action.executable = false;
      this.#openCall(action);
      this.#add(this.#made(action), index === 0 ? ofFirst : [message]);
    }
  }

  #openCall({ id: actionId, toolCall: { id, name }, llmResponseId: responseId }: ActionEvent): void {
    const open = { id, name, actionId, responseId, isAnswered: false };
    this.#calls.push(open);
    // As the events have it.
    const key = id.toWellFormed();
    const sameId = this.#callsById.get(key);
    if (sameId === undefined) this.#callsById.set(key, [open]);
    else sameId.push(open);
  }

  #timestamp(): string {
    const now = this.#now();
    const ms = now.getTime();
    if (ms !== this.#time.ms) this.#time = { ms, text: now.toISOString() };
    return this.#time.text;
  }

  /**
   * Returns the event for the log: frozen, and well-formed. @throws InvalidEventError where foreign pieces make none.
   */
  #made(event: Event): Event {
    if (this.#rules.areForeign === true) return wellFormedEvent(parseEvent(event));
    return freeze(event) ? event : wellFormedEvent(event);
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
    const id = this.#nextId();
    const fields = { type: this.#rules.setAsideType, id, timestamp: this.#timestamp(), source: 'environment' };
    const event = wellFormedEvent(parseEvent({ ...fields, path, reason, value: kept }));
    (this.#leading?.setAsides ?? this.#events).push({ event, messages: this.#message < 0 ? [] : [this.#message] });
  }
}

/** Returns the messages of an answer's first call: those that hold no other call. */
function withoutOtherCalls(messages: readonly number[], messagesOfCalls: readonly number[]): readonly number[] {
  const [first, ...others] = messagesOfCalls;
  return messages.filter((message) => message === first || !others.includes(message));
}

/** Field by field: most answers have none, and a copy of the rest of an object takes as long as all else. */
function addThinking(event: Mutable<Thinking>, { thinkingBlocks, reasoningItems, reasoningContent }: Thinking): void {
  if (thinkingBlocks !== undefined) event.thinkingBlocks = thinkingBlocks;
  if (reasoningItems !== undefined) event.reasoningItems = reasoningItems;
  if (reasoningContent !== undefined) event.reasoningContent = reasoningContent;
}

/** Freezes JSON data and all in it. Returns whether each text in it is well-formed. */
function freeze(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  let isWellFormed = true;
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) if (!freeze(item)) isWellFormed = false;
  } else {
    for (const key in value) if (!freeze((value as Readonly<Record<string, unknown>>)[key])) isWellFormed = false;
  }
  Object.freeze(value);
  return isWellFormed;
}

const ownToolReason = 'a tool with item types of its own: no request of the adapter declares it';

function pathIn(message: string, piece: string): string {
  return piece === '' ? message : `${message}.${piece}`;
}
