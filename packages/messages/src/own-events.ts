import { createEvent } from '@palimpsest/events';
import type { Event, EventStore } from '@palimpsest/events';
import { isRecord } from '@palimpsest/llm-adapters/wire';

/**
 * Where the events after it belong: behind the first `count` messages of a list with this beginning. For a model that binds its
 * thinking it also says what was sent, so that later requests send back only thinking that still verifies.
 */
export const placeType = 'messages/place';

/** The place of events in a host's list. */
export interface Place {
  /** Unit: messages. */
  readonly count: number;
  /** The digest of these messages. */
  readonly beginning: string;
}

/** What was sent for a request, for a model that binds its thinking. */
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

/** An answer, and what was sent for it. */
export interface AttributedAnswer {
  /** The digest of the list up to and including the answer. */
  readonly answer: string;
  /** How many messages the list of the request had. */
  readonly count: number;
  readonly sent: string;
}

const keyOf = ({ count, beginning }: Place): string => `${count} ${beginning}`;

/** Our own events of one conversation, each with its place. The host's list holds all others. */
export class OwnEvents {
  readonly #conversationId: string;
  readonly #store: EventStore | undefined;
  readonly #byPlace = new Map<string, Event[]>();
  readonly #requests = new Map<string, SentRequest[]>();
  readonly #leftOut: { readonly place: Place; readonly withoutThinking: readonly number[] }[] = [];
  readonly #answers = new Map<string, AttributedAnswer>();
  #version = 0;
  #place: Place | undefined;
  #storedPlace: Place | undefined;
  #waiting: Event[] = [];
  /** Events that are here already and will be read from the store. */
  readonly #here = new Set<string>();

  constructor(conversationId: string, store: EventStore | undefined) {
    this.#conversationId = conversationId;
    this.#store = store;
  }

  /** Reads what the store has got since. Returns the places that have got events that decide the view. */
  async load(signal?: AbortSignal): Promise<readonly Place[]> {
    const changed: Place[] = [];
    if (this.#store === undefined) return changed;
    const from = this.#version;
    // An append begins with its place, but a reading can end between.
    this.#place = this.#storedPlace;
    const options = signal === undefined ? { from } : { from, signal };
    for await (const event of this.#store.read(this.#conversationId, options)) {
      this.#version++;
      if (this.#read(event) && this.#place !== undefined) changed.push(this.#place);
      this.#storedPlace = this.#place;
      this.#here.delete(event.id);
    }
    return changed;
  }

  /** The messages whose thinking was left out, by the request that left it out first. */
  get leftOut(): readonly { readonly place: Place; readonly withoutThinking: readonly number[] }[] {
    return this.#leftOut;
  }

  /** The request to which an answer was made, if both were seen. */
  requestOf(answer: string): AttributedAnswer | undefined {
    return this.#answers.get(answer);
  }

  /** The events at a place, in order. */
  at(place: Place): readonly Event[] {
    return this.#byPlace.get(keyOf(place)) ?? [];
  }

  /** What was sent for the list at a place: more than once if the host made several requests of the same list. */
  requestsAt(place: Place): readonly SentRequest[] {
    return this.#requests.get(keyOf(place)) ?? [];
  }

  /** Adds events at a place. They are stored by {@link flush}. */
  add(place: Place, events: readonly Event[], request?: SentRequest): void {
    const placeEvent = createEvent(placeType, { source: 'environment', ...place, ...request });
    for (const event of [placeEvent, ...events]) {
      this.#read(event);
      this.#waiting.push(event);
    }
  }

  /** Stores what was added. What cannot be stored is tried again with the next events. */
  async flush(): Promise<void> {
    const store = this.#store;
    const events = this.#waiting;
    if (events.length === 0) return;
    this.#waiting = [];
    if (store === undefined) return;
    // Each append begins with its place, so appends of several processes do not mix.
    try {
      const { version } = await store.append(this.#conversationId, events);
      // What others have stored meanwhile is read at the next load, and what is ours is not read again.
      if (version === this.#version + events.length) this.#version = version;
      else for (const { id } of events) this.#here.add(id);
    } catch (error) {
      this.#waiting = [...events, ...this.#waiting];
      throw error;
    }
  }

  /** Returns whether the event stands at the present place and is new. */
  #read(event: Event): boolean {
    if (event.type === placeType) {
      this.#place = placeIn(event);
      if (this.#place === undefined || this.#here.has(event.id)) return false;
      const request = requestIn(event);
      if (request === undefined) return false;
      const { withoutThinking, answers } = request;
      for (const answer of answers) this.#answers.set(answer.answer, answer);
      if (request.supersedes === true) this.#requests.delete(keyOf(this.#place));
      pushTo(this.#requests, keyOf(this.#place), request);
      if (withoutThinking.length > 0) this.#leftOut.push({ place: this.#place, withoutThinking });
      return false;
    }
    if (this.#place === undefined || this.#here.has(event.id)) return false;
    pushTo(this.#byPlace, keyOf(this.#place), event);
    return true;
  }
}

function pushTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

function placeIn(event: object): Place | undefined {
  const { count, beginning } = event as Partial<Place>;
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
