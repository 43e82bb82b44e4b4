import { createEvent } from '@palimpsest/events';
import type { Event, EventId, EventStore } from '@palimpsest/events';
import { isRecord } from '@palimpsest/llm-adapters/wire';
import type { HostList } from './host-list.js';

/**
 * The type of an event that says where the events after it were made: behind the first `count` messages of a list with this
 * beginning. For a model that binds its thinking, the event also says what was sent, so that later requests send back only
 * thinking that still verifies.
 */
const placeType = 'messages/place';

/** The window of a model that a refusal has stated: `model`, and `tokens` as the view estimates. */
const windowType = 'messages/window';

/** The beginning of a host's list. */
export interface Place {
  /** Unit: messages. */
  readonly count: number;
  /** The digest of these messages. */
  readonly beginning: string;
}

/** A place in a list that was read here. Its digest is made when it is asked for. */
export class ListPlace implements Place {
  readonly count: number;
  #list: HostList | undefined;
  #beginning = '';

  constructor(list: HostList, count: number) {
    this.#list = list;
    this.count = count;
  }

  get beginning(): string {
    if (this.#list !== undefined) this.#beginning = this.#list.beginning(this.count);
    this.#list = undefined;
    return this.#beginning;
  }

  /** True if the place is one of this list, which needs no digest. */
  isOf(list: HostList): boolean {
    return this.#list === list;
  }
}

/** Returns true for a list that begins as the place says. */
export function isPlaceIn(place: Place, list: HostList): boolean {
  if (place.count > list.length) return false;
  return (place instanceof ListPlace && place.isOf(list)) || list.beginning(place.count) === place.beginning;
}

/** The place where events were made, and the lists for which they hold. */
export interface Placement {
  readonly place: Place;
  /** The answers of the model before the place. In a list that has become another one there, the events stand before the next answer. */
  readonly answersBefore?: number | undefined;
  /** The events hold for every list that begins like this. */
  readonly covers: Place;
  /** The newest condensation when they were made. @defaultValue there was none */
  readonly behind?: EventId | undefined;
}

/** One of our own events, with its place. */
export interface OwnEvent extends Placement {
  readonly event: Event;
}

/** The messages that were sent in a request, for a model that binds its thinking. */
export interface SentRequest {
  /** The digest of all that was sent, without thinking. */
  readonly sent: string;
  /** The messages whose thinking was left out for the first time. It never comes back. Indices in the host's list. */
  readonly withoutThinking: readonly number[];
  /** The answers that were seen for the first time, and the request to which each was made. */
  readonly answers: readonly AttributedAnswer[];
  /** The provider refused what was sent for this list before, so no answer was made to that. @defaultValue false */
  readonly supersedes?: true;
}

/** The messages that were sent for a list. */
export interface PlacedRequest {
  readonly place: Place;
  readonly sent: string;
}

/** An answer, and what was sent for it. */
export interface AttributedAnswer {
  /** The digest of the list up to and including the answer. */
  readonly answer: string;
  /** The number of messages in the list of the request. */
  readonly count: number;
  readonly sent: string;
}

function written({ count, beginning }: Place): Place {
  return { count, beginning };
}

export const keyOf = ({ count, beginning }: Place): string => `${count} ${beginning}`;

/** Our own events of the conversations with one name, each with its place. The host's list holds all others. */
export class OwnEvents {
  /** The name under which they are stored. */
  readonly name: string;
  readonly #store: EventStore | undefined;
  /** Those that the store is known to hold come first, in its order. */
  #events: OwnEvent[] = [];
  #inOrder = 0;
  /** By the newest answer of the list that they were made for. */
  readonly #requests = new Map<string, PlacedRequest[]>();
  readonly #leftOut: { readonly place: Place; readonly withoutThinking: readonly number[] }[] = [];
  readonly #answers = new Map<string, AttributedAnswer>();
  #version = 0;
  #placement: Placement | undefined;
  #waiting: Event[] = [];
  /** Events that are here already and will be read from the store. */
  readonly #here = new Set<string>();
  /** Reading and storing, one at a time: conversations that begin alike share these events. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(name: string, store: EventStore | undefined) {
    this.name = name;
    this.#store = store;
  }

  /** Reads what the store has got since. */
  load(signal?: AbortSignal): Promise<void> {
    return this.#inTurn(() => this.#load(signal));
  }

  async #load(signal: AbortSignal | undefined): Promise<void> {
    if (this.#store === undefined) return;
    const from = this.#version;
    const options = signal === undefined ? { from } : { from, signal };
    const read: OwnEvent[] = [];
    try {
      for await (const event of this.#store.read(this.name, options)) {
        this.#version++;
        const isHere = this.#here.delete(event.id);
        if (event.type === placeType) {
          // An append begins with its place, but a reading can end between.
          this.#placement = placementIn(event);
          if (!isHere) this.#readRequest(event);
        } else if (this.#placement !== undefined) read.push({ ...this.#placement, event });
      }
    } finally {
      this.#addRead(read);
    }
  }

  /** All events, in the order of the store. Another list if the order has changed. */
  get events(): readonly OwnEvent[] {
    return this.#events;
  }

  /** The messages whose thinking was left out, by the request that left it out first. */
  get leftOut(): readonly { readonly place: Place; readonly withoutThinking: readonly number[] }[] {
    return this.#leftOut;
  }

  /** The request to which an answer was made, if both were seen. */
  requestOf(answer: string): AttributedAnswer | undefined {
    return this.#answers.get(answer);
  }

  /** Returns the messages that were sent for lists that end after the same answer, in order. */
  requestsBehind(answer: Place): readonly PlacedRequest[] {
    return this.#requests.get(keyOf(answer)) ?? [];
  }

  /** Adds events. They are stored by {@link flush}. */
  add(placement: Placement, events: readonly Event[], request?: SentRequest): void {
    this.#events.push(...events.map((event) => ({ ...placement, event })));
    if (request === undefined && this.#store === undefined) return;
    const { place, covers, ...others } = placement;
    const fields = { ...written(place), covers: written(covers), ...others, ...request };
    const placeEvent = createEvent(placeType, { source: 'environment', ...fields });
    this.#readRequest(placeEvent);
    if (this.#store !== undefined) this.#waiting.push(placeEvent, ...events);
  }

  /** Makes the digests of all places, so that none holds a list. */
  settle(): void {
    for (const { place, covers } of this.#events) void [place.beginning, covers.beginning];
  }

  /** The window of a model of which a refusal told last. Unit: tokens, as the view estimates. */
  windowOf(model: string): number | undefined {
    const isOfModel = ({ event }: OwnEvent) => event.type === windowType && event['model'] === model;
    const tokens = this.#events.findLast(isOfModel)?.event as { readonly tokens?: unknown } | undefined;
    return typeof tokens?.tokens === 'number' ? tokens.tokens : undefined;
  }

  /** Keeps a window for all lists of the conversation. */
  addWindow(tokens: number, model: string): void {
    const start: Place = { count: 0, beginning: '' };
    this.add({ place: start, covers: start }, [createEvent(windowType, { source: 'environment', model, tokens })]);
  }

  /** Stores what was added. What cannot be stored is tried again with the next events. */
  flush(): Promise<void> {
    return this.#inTurn(() => this.#flush());
  }

  async #flush(): Promise<void> {
    const store = this.#store;
    const events = this.#waiting;
    if (events.length === 0) return;
    this.#waiting = [];
    if (store === undefined) return;
    // Each append begins with its place, so appends of several processes do not mix.
    try {
      const { version } = await store.append(this.name, events);
      // What others have stored meanwhile is read at the next load, and ours once more, for its place in their order.
      if (version === this.#version + events.length) {
        this.#version = version;
        this.#inOrder = this.#events.length;
      } else for (const { id } of events) this.#here.add(id);
    } catch (error) {
      this.#waiting = [...events, ...this.#waiting];
      throw error;
    }
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  #addRead(read: readonly OwnEvent[]): void {
    if (read.length === 0) return;
    const ids = new Set(read.map(({ event }) => event.id));
    const rest = this.#events.slice(this.#inOrder).filter(({ event }) => !ids.has(event.id));
    this.#events = [...this.#events.slice(0, this.#inOrder), ...read, ...rest];
    this.#inOrder += read.length;
  }

  #readRequest(event: object): void {
    const { place, covers } = placementIn(event) ?? {};
    const request = requestIn(event);
    if (place === undefined || covers === undefined || request === undefined) return;
    const { withoutThinking, answers } = request;
    for (const answer of answers) this.#answers.set(answer.answer, answer);
    const others = request.supersedes === true ? [] : this.requestsBehind(covers);
    this.#requests.set(keyOf(covers), [...others, { place, sent: request.sent }]);
    if (withoutThinking.length > 0) this.#leftOut.push({ place, withoutThinking });
  }
}

/** Returns the placement that an event states. One of earlier versions holds for lists that begin like all of the list. */
function placementIn(event: object): Placement | undefined {
  const place = placeIn(event);
  if (place === undefined) return undefined;
  const { covers, answersBefore, behind } = event as Partial<Record<keyof Placement, unknown>>;
  return {
    place,
    covers: placeIn(covers) ?? place,
    answersBefore: typeof answersBefore === 'number' ? answersBefore : undefined,
    behind: typeof behind === 'string' ? behind : undefined,
  };
}

function placeIn(value: unknown): Place | undefined {
  const { count, beginning } = isRecord(value) ? value : {};
  return typeof count === 'number' && typeof beginning === 'string' ? { count, beginning } : undefined;
}

function requestIn(event: object): SentRequest | undefined {
  const { sent, withoutThinking, answers, supersedes } = event as Partial<SentRequest>;
  if (typeof sent !== 'string') return undefined;
  const left: readonly unknown[] = isRecord(withoutThinking) && Array.isArray(withoutThinking) ? withoutThinking : [];
  const indices = left.filter((index) => typeof index === 'number');
  const seen: readonly unknown[] = Array.isArray(answers) ? answers : [];
  return {
    sent,
    withoutThinking: indices,
    answers: seen.filter(isAttributed),
    ...(supersedes === true ? { supersedes } : {}),
  };
}

function isAttributed(value: unknown): value is AttributedAnswer {
  const { answer, count, sent } = isRecord(value) ? value : {};
  return typeof answer === 'string' && typeof count === 'number' && typeof sent === 'string';
}
