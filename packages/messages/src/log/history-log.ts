import { createEvent, isLLMConvertible, isToolResult } from '@palimpsest/events';
import type { Event, EventId } from '@palimpsest/events';
import { HistoryReader, hostFileIn, standIn } from '@palimpsest/llm-adapters/wire';
import type { CallPiece, ContentPiece, HistoryRules, Piece, UnreadPiece } from '@palimpsest/llm-adapters/wire';
import { recallToolName } from '@palimpsest/relevance-tool';
import { isCondensation, isReference, ViewProjection } from '@palimpsest/view';
import type { EstimateTokens, ThinkingMode, View } from '@palimpsest/view';
import { Breath } from './breath.js';
import type { Codec, HostMessage } from '../codecs/codec.js';
import { coveredMessages } from './covered-messages.js';
import { loadsTools } from '../codecs/deferred-tools.js';
import { HostList } from './host-list.js';
import { isPlaceIn, ListPlace } from './own-events.js';
import type { OwnEvent, OwnEvents, Place, Placement } from './own-events.js';
import { Pairs, pinOf } from './pairs.js';
import { withReferredText } from './references.js';

/** The parts of a log besides the messages. */
export interface LogOptions {
  /** The model that reads the log: sizes and thinking are its. */
  readonly model: string;
  readonly thinking: ThinkingMode;
  readonly estimateTokens: EstimateTokens;
  readonly codec: Codec;
  readonly own: OwnEvents;
  /** The instructions that stand beside the messages. */
  readonly instructions: string;
  /** The pages of PDFs that the provider reads of a request. @defaultValue 600 */
  readonly maxPages?: number | undefined;
  readonly now: () => Date;
  /** True if tools are deferred. Messages that load them are then kept. */
  readonly defersTools: boolean;
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
  /** Forgotten once the list is read. */
  #before: { readonly log: HistoryLog; readonly count: number } | undefined;
  readonly #reader: HistoryReader;
  #projection: ViewProjection;
  /** The messages that a compaction of the provider has replaced. */
  readonly #replaced = new Set<EventId>();
  readonly #log: Event[] = [];
  readonly #eventsOf: Event[][] = [];
  /** The messages as they were when their events were made. */
  readonly #hostOf: HostMessage[] = [];
  readonly #messagesOf = new Map<EventId, readonly number[]>();
  readonly #idsOf: number[] = [];
  readonly #pairs = new Pairs();
  /** The ids of the calls that have a result. */
  readonly #answered = new Set<string>();
  #hasSecondResults = false;
  /** The number of messages in the log. */
  #read = 0;
  /** Our own events that hold for the list, in the order of the log. */
  readonly #held: OwnEvent[] = [];
  /** Condensations that were made while another process made one of the same events, and do not hold. */
  readonly #overtaken = new Set<EventId>();
  /** The size of the events up to each, as far as it was asked for. Unit: tokens. */
  #sizes: number[] = [];

  /** @param before - a log of a list that has the first `count` messages in common. Nothing is read or made again that is the same */
  constructor(options: LogOptions, before?: { readonly log: HistoryLog; readonly count: number }) {
    const { codec, instructions, now } = options;
    this.#options = options;
    this.list = before === undefined ? new HostList(codec) : before.log.list.first(before.count);
    if (before?.log.isFor(options) === true && options.following === undefined) this.#before = before;
    this.#reader = new HistoryReader({ now, newId: (message) => this.#newId(message) }, rulesOf(codec));
    this.#projection = this.#newProjection();
    if (instructions !== '') {
      this.#put(createEvent('system-prompt', { id: 'instructions', systemPrompt: instructions }));
    }
  }

  get view(): View {
    return this.#projection.view;
  }

  /** True if a call has two results. Such a list is not sent as it is. */
  get hasSecondResults(): boolean {
    return this.#hasSecondResults;
  }

  /** Returns a counter of the estimated size of the events that the log holds now. Unit: tokens. */
  sizeSoFar(): () => number {
    const [events, sizes, { view }] = [this.#log, this.#sizes, this];
    const { length } = events;
    return () => {
      for (const event of events.slice(sizes.length, length)) {
        sizes.push((sizes.at(-1) ?? 0) + (isLLMConvertible(event) ? view.tokensOf(event) : 0));
      }
      return sizes[length - 1] ?? 0;
    };
  }

  /** Estimated size of the host's list from a message on. Unit: tokens. */
  tokensFrom(message: number): number {
    const events = this.#eventsOf.slice(message).flat();
    return events.reduce((sum, event) => sum + (isLLMConvertible(event) ? this.view.tokensOf(event) : 0), 0);
  }

  get events(): readonly Event[] {
    return this.#log;
  }

  /** Returns true if the log was made for a request like this. */
  isFor({ model, instructions, defersTools, thinking }: LogOptions): boolean {
    const own = this.#options;
    const isSame = own.model === model && own.instructions === instructions && own.thinking === thinking;
    return isSame && own.defersTools === defersTools;
  }

  get place(): Place {
    return this.placeAt(this.list.length);
  }

  placeAt(count: number): Place {
    return new ListPlace(this.list, count);
  }

  /** The events of a message that a model reads, as they were put into the log. */
  eventsOf(message: number): readonly Event[] {
    return this.#eventsOf[message] ?? [];
  }

  /** The messages from which an event was made. */
  messagesOf(id: EventId): readonly number[] {
    return this.#messagesOf.get(id) ?? [];
  }

  isResult(id: EventId): boolean {
    return this.#log.some((event) => event.id === id && event.type === 'observation');
  }

  /** The parts of the host's messages that an event has as files. */
  filesOf(id: EventId): readonly unknown[] {
    const event = this.#log.find((one) => one.id === id);
    const pieces = this.messagesOf(id).flatMap((message) => this.list.at(message)?.host.pieces ?? []);
    const own =
      event?.type === 'observation'
        ? pieces.flatMap((piece) =>
            piece.type === 'result' && piece.toolCallId === event['toolCallId'] ? piece.content : [],
          )
        : pieces;
    return own.flatMap((piece) =>
      piece.type === 'unread' && hostFileIn(piece.value) !== undefined ? [piece.value] : [],
    );
  }

  /**
   * Returns true if new messages continue the answer, or the instructions, at the end of the list. The log is then made
   * anew.
   */
  continuesLast(message: HostMessage): boolean {
    const last = this.list.at(this.list.length - 1)?.host.role;
    return last !== undefined && last !== 'user' && last === message.role;
  }

  /**
   * Reads the messages that the list has got. False if our own events of another process, or of a list that has come back, belong between
   * those that the log holds: then it has to be made anew.
   *
   * @throws the signal's reason. Then the log is of no more use.
   */
  async readOn(messages: readonly unknown[], signal?: AbortSignal): Promise<boolean> {
    const breath = new Breath();
    for (let index = this.list.length; index < messages.length; index++) {
      this.list.add(messages[index], this.#before?.log.list.at(index));
      if (!breath.isDue()) continue;
      await breath.take();
      signal?.throwIfAborted();
    }
    const placed = this.#placed();
    const isInOrder = this.#held.every(({ event }, index) => placed[index]?.own.event.id === event.id);
    const added = placed.slice(this.#held.length);
    // What only counts may come late.
    if (!isInOrder || added.some(({ own, at }) => at < this.#read && isCondensation(own.event))) return false;
    let next = 0;
    for (;;) {
      for (; (added[next]?.at ?? Infinity) <= this.#read; next++) this.#hold((added[next] as PlacedOwn).own);
      const host = this.list.at(this.#read)?.host;
      if (host === undefined) {
        this.#before = undefined;
        return true;
      }
      this.#hostOf[this.#read] = host;
      const known = this.#knownEvents(this.#read);
      if (known === undefined) this.#reader.read(loggedMessage(host, this.#options.maxPages), `messages.${this.#read}`);
      else await this.#takeAgain(known);
      this.#read++;
      // Answers and instructions may go on in the next message.
      const isBreathDue = breath.isDue() && host.role === 'user';
      // Our own events stand behind all events of the messages before them.
      if (this.#read === this.list.length || added[next]?.at === this.#read || isBreathDue) await this.#take();
      if (!isBreathDue) continue;
      // What reads every text is a part of what takes long.
      this.sizeSoFar()();
      await breath.take();
      signal?.throwIfAborted();
    }
  }

  /** Adds an event of our own at the end. */
  append(event: Event): void {
    const own: OwnEvent = { ...this.placement(event), event };
    this.#options.own.add(own, [event]);
    this.#held.push(own);
    this.#put(event);
  }

  /** Returns the place of an event that is made now. What covers nothing of its own holds up to the newest answer. */
  placement(event?: Event): Placement {
    const { list, place } = this;
    const covered = event !== undefined && isCondensation(event) ? coveredMessages(event, this) : 0;
    const behind = this.#newestInForce();
    return {
      place,
      answersBefore: list.answers(list.length),
      covers: this.placeAt(covered || list.throughAnswer || list.length),
      ...(behind === undefined ? {} : { behind }),
    };
  }

  /** Returns the number of messages that a condensation in force covers. */
  coveredBy(id: EventId | undefined): number {
    return this.#held.find(({ event }) => event.id === id)?.covers.count ?? 0;
  }

  /** Our own events that hold for the list, with the number of messages before them. What was made later stands behind. */
  #placed(): readonly PlacedOwn[] {
    let at = 0;
    return this.#options.own.events.flatMap((own): PlacedOwn[] => {
      if (!isPlaceIn(own.covers, this.list)) return [];
      at = Math.max(at, this.#positionOf(own));
      return [{ own, at }];
    });
  }

  /** Returns the place where it was made. In a list that has become another one there: before the next answer; in a shorter one: the end. */
  #positionOf({ place, answersBefore, covers }: OwnEvent): number {
    const { list } = this;
    if (answersBefore === undefined || isPlaceIn(place, list)) return place.count;
    let position = covers.count;
    while (position < list.length && list.answers(position + 1) <= answersBefore) position++;
    return position;
  }

  #hold(own: OwnEvent): void {
    this.#held.push(own);
    if (this.#isOvertaken(own)) this.#overtaken.add(own.event.id);
    else this.#put(own.event);
  }

  /** Returns true if another condensation had forgotten what this one forgets when it was stored: one summary stays. */
  #isOvertaken({ event, behind }: OwnEvent): boolean {
    if (!isCondensation(event)) return false;
    if (behind !== undefined && this.#overtaken.has(behind)) return true;
    if (this.#newestInForce(event) === behind) return false;
    const { view } = this;
    return event.forgottenEventIds.some((id) => view.indexOf(id) === undefined && view.original(id) !== undefined);
  }

  /** The newest condensation that holds, besides one that is looked at. */
  #newestInForce(besides?: Event): EventId | undefined {
    return this.#held.findLast(
      ({ event }) => event !== besides && isCondensation(event) && !this.#overtaken.has(event.id),
    )?.event.id;
  }

  async #take(): Promise<void> {
    const { following } = this.#options;
    for (const { event: made, messages } of this.#reader.takeEvents()) {
      if (made.type === setAsideType) continue;
      const event = recalled(made);
      this.#place(event, messages);
      if (following === undefined) continue;
      for (const own of await following(event, this.#log)) this.#put(own);
    }
  }

  /** The events of a message alone, in the log before. Undefined where the message has to be read. */
  #knownEvents(message: number): readonly Event[] | undefined {
    const { log, count = 0 } = this.#before ?? {};
    if (log === undefined || message >= count || log.#hostOf[message] !== this.#hostOf[message]) return undefined;
    const isOfModel = (index: number) => this.list.at(index)?.host.role === 'assistant';
    const isPartOfAnswer = isOfModel(message) && (isOfModel(message - 1) || isOfModel(message + 1));
    if (this.#options.codec.mergesAnswers && isPartOfAnswer) return undefined;
    const events = log.eventsOf(message);
    const isAlone = events.length > 0 && events.every(({ id }) => log.messagesOf(id).length === 1);
    return isAlone ? events : undefined;
  }

  async #takeAgain(events: readonly Event[]): Promise<void> {
    this.#reader.readAgain(events);
    await this.#take();
    for (const event of events) this.#place(event, [this.#read]);
  }

  /** Puts an event of messages into the log, and behind it what keeps it in the view. */
  #place(event: Event, messages: readonly number[]): void {
    this.#messagesOf.set(event.id, messages);
    for (const message of messages) (this.#eventsOf[message] ??= []).push(event);
    const { defersTools } = this.#options;
    const hosts: HostMessage[] = [];
    for (const message of messages) {
      const host = this.list.at(message)?.host;
      if (host !== undefined && (defersTools || isBound(host))) hosts.push(host);
    }
    if (hosts.length > 0) this.#pairs.join(event, hosts);
    // Follows from what stands before it, so it is the same whenever the list is read.
    this.#put(isToolResult(event) && isReference(event) ? withReferredText(event, this.view, this.#log) : event);
    if (event.type === 'action') this.#answered.delete(event.toolCall.id);
    else if (isToolResult(event)) {
      this.#hasSecondResults ||= this.#answered.has(event.toolCallId);
      this.#answered.add(event.toolCallId);
    }
    if (hosts.length === 0) return;
    if (hosts.some((host) => host.replacesBefore === true)) this.#replaceBefore(event.id, messages[0] ?? 0);
    if (hosts.some((host) => host.isBarrier === true || (defersTools && loadsTools(host)))) {
      this.#put(pinOf(event, 'a compaction of the provider, or tools that it has loaded'));
    } else {
      const isCutBetween = (first: EventId) => this.#isCutBetween(first, event.id);
      for (const own of this.#pairs.protection(event, hosts, isCutBetween)) this.#put(own);
    }
  }

  #isCutBetween(first: EventId, last: EventId): boolean {
    const { view } = this;
    const cut = view.cutPoints.atOrAfter((view.indexOf(first) ?? 0) + 1);
    return cut !== undefined && cut <= (view.indexOf(last) ?? 0);
  }

  #put(event: Event): void {
    this.#log.push(event);
    this.#projection.append(event);
  }

  #newProjection(): ViewProjection {
    const { thinking, estimateTokens } = this.#options;
    const properties = [({ id }: { readonly id: EventId }) => this.#pairs.runOf(id)];
    if (this.#replaced.size === 0) return new ViewProjection({ thinking, estimateTokens, properties });
    // An older view keeps its sizes.
    const replaced = new Set(this.#replaced);
    const estimate: EstimateTokens = (event) => (replaced.has(event.id) ? 0 : estimateTokens(event));
    return new ViewProjection({ thinking, estimateTokens: estimate, properties });
  }

  /** A view knows each event's size once, so it is taken anew: a provider compacts seldom. */
  #replaceBefore(compaction: EventId, message: number): void {
    for (const event of this.#log) {
      const isOfMessage = event.id === compaction || this.messagesOf(event.id).some((index) => index >= message);
      if (isLLMConvertible(event) && event.type !== 'system-prompt' && !isOfMessage) this.#replaced.add(event.id);
    }
    this.#projection = this.#newProjection();
    this.#sizes = [];
    for (const event of this.#log) this.#projection.append(event);
  }

  #newId(message: number): EventId {
    const count = (this.#idsOf[message] ?? 0) + 1;
    this.#idsOf[message] = count;
    return `m${message}-${count}`;
  }
}

interface PlacedOwn {
  readonly own: OwnEvent;
  /** Unit: messages. */
  readonly at: number;
}

const setAsideType = 'messages/set-aside' as const;

function rulesOf({ mergesAnswers, returnsNewPieces }: Codec): HistoryRules {
  const rules = { setAsideType, startsWithInstructions: true, needsCallIds: false, bindsThinking: false };
  return { ...rules, mergesAnswers, areForeign: returnsNewPieces !== true } as const;
}

/** An answer of the recall tool, marked as the tool marks it: condensers leave young ones. */
function recalled(event: Event): Event {
  if (event.type !== 'observation' || event['toolName'] !== recallToolName) return event;
  return Object.freeze({ ...event, details: Object.freeze({ recalledEventIds: Object.freeze([]) }) });
}

/** Returns true if more than its events follows from a message. */
function isBound({ pair, isBarrier, replacesBefore }: HostMessage): boolean {
  return pair !== undefined || isBarrier === true || replacesBefore === true;
}

/**
 * Returns a message for the log. What is unread is passed through by the history itself, so the log holds words in its
 * place, what it weighs, and no copy of it.
 */
export function loggedMessage(host: HostMessage, maxPages?: number): HostMessage {
  if (host.pieces.every(isNeutral)) return host;
  const hasStandIn = host.pieces.some((piece) => piece.type === 'content' && piece.isStandIn === true);
  const weighed = ({ value }: UnreadPiece): readonly ContentPiece[] => {
    const part = hostFileIn(value, { maxPages });
    return part === undefined ? [] : [{ type: 'content', part, isStandIn: true }];
  };
  const pieces = host.pieces.flatMap((piece): readonly Piece[] => {
    if (piece.type === 'result') {
      const { isOwnTool: _own, ...result } = piece;
      return [{ ...result, content: piece.content.flatMap((one) => (one.type === 'unread' ? weighed(one) : [one])) }];
    }
    if (piece.type === 'call') return [own(piece)];
    if (piece.type !== 'unread') return [piece];
    return [...(hasStandIn ? [] : [standIn(`(Not shown here: ${piece.reason}.)`)]), ...weighed(piece)];
  });
  return host.role === undefined ? { ...host, role: 'user', source: 'environment', pieces } : { ...host, pieces };
}

function isNeutral(piece: Piece): boolean {
  if (piece.type === 'unread') return false;
  if (piece.type === 'call') return piece.isOwnTool !== true;
  return piece.type !== 'result' || (piece.isOwnTool !== true && piece.content.every(isNeutral));
}

/** A tool with item types of its own is a tool like any other: the host runs it. */
function own({ isOwnTool: _own, ...call }: CallPiece): CallPiece {
  return call;
}
