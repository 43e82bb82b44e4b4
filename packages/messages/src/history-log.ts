import { createEvent, isLLMConvertible } from '@palimpsest/events';
import type { Event, EventId } from '@palimpsest/events';
import { HistoryEvents, standIn } from '@palimpsest/llm-adapters/wire';
import type { CallPiece, HistoryRules, Piece } from '@palimpsest/llm-adapters/wire';
import { recallToolName } from '@palimpsest/relevance-tool';
import { pin, ViewProjection } from '@palimpsest/view';
import type { EstimateTokens, ThinkingMode, View } from '@palimpsest/view';
import type { Codec, HostMessage } from './codec.js';
import { HostList } from './host-list.js';
import type { OwnEvents, Place } from './own-events.js';

/** What a log is made of besides the messages. */
export interface LogOptions {
  readonly thinking: ThinkingMode;
  readonly estimateTokens: EstimateTokens;
  readonly codec: Codec;
  readonly own: OwnEvents;
  /** The instructions that stand beside the messages. */
  readonly instructions: string;
  readonly now: () => Date;
  /** Makes the events that follow from an event of a message: directives. @defaultValue none follow */
  readonly following?: ((event: Event, log: readonly Event[]) => Promise<readonly Event[]>) | undefined;
}

/**
 * The log of one list of messages: the events of its messages, and our own events at their places. It is read on while the list grows. Ids
 * follow from the messages up to their own, so that two processes name an event alike.
 */
export class HistoryLog {
  readonly list: HostList;
  readonly #options: LogOptions;
  readonly #reader: HistoryEvents;
  readonly #projection: ViewProjection;
  readonly #log: Event[] = [];
  readonly #eventsOf: Event[][] = [];
  readonly #messagesOf = new Map<EventId, readonly number[]>();
  readonly #idsOf: number[] = [];
  readonly #pairs = new Map<EventId, string>();
  /** How many of our own events at the end of the list are in the log. */
  #ownAtEnd = 0;
  #tokens = 0;
  readonly #estimate: EstimateTokens;

  constructor(options: LogOptions) {
    const { codec, instructions, thinking, estimateTokens, now } = options;
    this.#options = options;
    this.#estimate = estimateTokens;
    this.list = new HostList(codec);
    this.#reader = new HistoryEvents({ now, newId: (message) => this.#newId(message) }, rulesOf(codec));
    const properties = [({ id }: { readonly id: EventId }) => this.#pairs.get(id)];
    this.#projection = new ViewProjection({ thinking, estimateTokens, properties });
    if (instructions !== '') {
      this.#put(createEvent('system-prompt', { id: 'instructions', systemPrompt: instructions }));
    }
  }

  get view(): View {
    return this.#projection.view;
  }

  /** Estimated size of the host's list. Unit: tokens. */
  get tokens(): number {
    return this.#tokens;
  }

  get events(): readonly Event[] {
    return this.#log;
  }

  /** The instructions with which the log began. */
  get instructions(): string {
    return this.#options.instructions;
  }

  get place(): Place {
    return this.placeAt(this.list.length);
  }

  placeAt(count: number): Place {
    return { count, beginning: this.list.beginning(count) };
  }

  /** The events of a message that a model reads, as they were put into the log. */
  eventsOf(message: number): readonly Event[] {
    return this.#eventsOf[message] ?? [];
  }

  /** The messages from which an event was made. */
  messagesOf(id: EventId): readonly number[] {
    return this.#messagesOf.get(id) ?? [];
  }

  /** Whether new messages continue the answer, or the instructions, at the end of the list. The log is then made anew. */
  continuesLast(message: HostMessage): boolean {
    const last = this.list.at(this.list.length - 1)?.host.role;
    return last !== undefined && last !== 'user' && last === message.role;
  }

  /** Reads the messages that the list has got. */
  async readOn(messages: readonly unknown[]): Promise<void> {
    await this.#takeOwn();
    for (let index = this.list.length; index < messages.length; index++) {
      const known = this.list.add(messages[index]);
      this.#ownAtEnd = 0;
      this.#reader.read(neutral(known.host), `messages.${index}`);
      // Our own events stand behind all events of the messages before them.
      const isEnd = index === messages.length - 1;
      if (isEnd || this.#options.own.at(this.place).length > 0) await this.#take();
      await this.#takeOwn();
    }
  }

  /** Adds an event of our own at the end. */
  append(event: Event): void {
    this.#options.own.add(this.place, [event]);
    this.#ownAtEnd++;
    this.#put(event);
  }

  async #takeOwn(): Promise<void> {
    const events = this.#options.own.at(this.place);
    for (const event of events.slice(this.#ownAtEnd)) this.#put(event);
    this.#ownAtEnd = events.length;
  }

  async #take(): Promise<void> {
    for (const { event: made, messages } of this.#reader.take()) {
      if (made.type === setAsideType) continue;
      const event = recalled(made);
      this.#messagesOf.set(event.id, messages);
      for (const message of messages) (this.#eventsOf[message] ??= []).push(event);
      const hosts = messages.map((message) => this.list.at(message)?.host);
      const pair = hosts.find((host) => host?.pair !== undefined)?.pair;
      if (pair !== undefined) this.#pairs.set(event.id, pair);
      this.#put(event);
      if (hosts.some((host) => host?.isBarrier === true)) this.#put(pinOf(event));
      const following = (await this.#options.following?.(event, this.#log)) ?? [];
      for (const own of following) this.#put(own);
    }
  }

  #put(event: Event): void {
    this.#log.push(event);
    if (isLLMConvertible(event)) this.#tokens += this.#estimate(event);
    this.#projection.append(event);
  }

  #newId(message: number): EventId {
    const count = (this.#idsOf[message] ?? 0) + 1;
    this.#idsOf[message] = count;
    return `m${this.list.at(message)?.beginning.slice(0, 24) ?? ''}-${count}`;
  }
}

const setAsideType = 'messages/set-aside';

function rulesOf({ mergesAnswers }: Codec): HistoryRules {
  return { setAsideType, mergesAnswers, startsWithInstructions: true, needsCallIds: false, bindsThinking: false };
}

/** An answer of the recall tool, marked as the tool marks it: condensers leave young ones. */
function recalled(event: Event): Event {
  if (event.type !== 'observation' || event['toolName'] !== recallToolName) return event;
  return { ...event, details: { recalledEventIds: [] } };
}

/** The event that keeps a barrier in the view. Its id follows from the barrier's. */
function pinOf(event: Event): Event {
  return { ...pin(event.id, { source: 'environment', reason: 'a compaction of the provider' }), id: `${event.id}-pin` };
}

/**
 * A message for the log. What is unread is passed through by the history itself, so the log holds words in its place and no copy of it.
 */
export function neutral(host: HostMessage): HostMessage {
  if (!host.pieces.some((piece) => piece.type !== 'content')) return host;
  const hasStandIn = host.pieces.some((piece) => piece.type === 'content' && piece.isStandIn === true);
  const pieces = host.pieces.flatMap((piece): Piece[] => {
    if (piece.type === 'result') {
      const { isOwnTool: _own, ...result } = piece;
      return [{ ...result, content: piece.content.filter(({ type }) => type !== 'unread') }];
    }
    if (piece.type === 'call') return [own(piece)];
    if (piece.type !== 'unread') return [piece];
    return hasStandIn ? [] : [standIn(`(Not shown here: ${piece.reason}.)`)];
  });
  return host.role === undefined ? { ...host, role: 'user', source: 'environment', pieces } : { ...host, pieces };
}

/** A tool with item types of its own is a tool like any other: the host runs it. */
function own({ isOwnTool: _own, ...call }: CallPiece): CallPiece {
  return call;
}
