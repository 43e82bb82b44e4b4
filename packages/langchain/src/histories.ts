import { condensedHistory } from '@palimpsest/messages';
import type { CondensedHistory, CondensedHistoryOptions } from '@palimpsest/messages';
import type { BaseMessage } from 'langchain';
import { langchainMessages } from './codec.js';
import { StateEvents } from './state-events.js';
import type { StateEvent } from './state-events.js';

/** The options of a history that the states of a graph share. */
export type HistoryOptions = Omit<CondensedHistoryOptions<BaseMessage>, 'codec' | 'store'>;

/** The conversation and the model that a history is made for. */
export interface Moment {
  /** The thread of the checkpointer, if there is one. */
  readonly thread: string;
  /** Our own events in the state: they alone decide what holds. */
  readonly events: readonly StateEvent[];
  readonly messages: readonly BaseMessage[];
  /** The name of the model. */
  readonly model: string | undefined;
}

/** A history over the events of one state. */
export interface StateHistory {
  readonly history: CondensedHistory<BaseMessage>;
  readonly store: StateEvents;
  readonly model: string | undefined;
}

interface Idle extends StateHistory {
  /** The list for which the events were made that no state holds yet. */
  readonly end: string;
}

const defaultMaxMemoryBytes = 256 * 1024 * 1024;

/**
 * The histories of the states that were used last. A history is made of a state's events, so a checkpoint from which a graph is
 * resumed, replayed or branched is all that one needs. Those that go on are kept only to spare reading the messages again. A
 * history is used by one call at a time.
 */
export class Histories {
  readonly #options: HistoryOptions;
  /** By thread and newest event. The one that was used last is the last. */
  readonly #idle = new Map<string, Idle>();

  constructor(options: HistoryOptions) {
    this.#options = options;
    // Tells of a wrong option now, not at the first request.
    condensedHistory({ ...options, codec: langchainMessages() });
  }

  /** Works with the history of a moment. What it adds to the events is in its store. */
  async use<Result>(moment: Moment, work: (history: StateHistory) => Promise<Result>): Promise<Result> {
    const taken = this.#take(moment);
    try {
      return await work(taken);
    } finally {
      const end = endOf(moment.messages);
      // Also under the state that has not got the new events: if the same request is made again, they hold.
      this.#keep(keyOf(moment.thread, moment.events), { ...taken, end });
      this.#keep(keyOf(moment.thread, taken.store.events), { ...taken, end });
    }
  }

  #take({ thread, events, messages, model }: Moment): StateHistory {
    const key = keyOf(thread, events);
    const idle = this.#idle.get(key);
    const isOfState =
      idle !== undefined &&
      idle.model === model &&
      idle.store.beginsWith(events) &&
      (idle.store.events.length === events.length || idle.end === endOf(messages));
    if (isOfState) {
      for (const [other, { store }] of this.#idle) if (store === idle.store) this.#idle.delete(other);
      return idle;
    }
    const store = new StateEvents(events);
    const codec = langchainMessages();
    return {
      store,
      model,
      history: condensedHistory({ ...this.#options, model, codec, store }),
    };
  }

  #keep(key: string, idle: Idle): void {
    this.#idle.delete(key);
    this.#idle.set(key, idle);
    // A history can be kept under two keys.
    const histories = new Set([...this.#idle.values()].map((one) => one.history));
    let left = [...histories].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
    for (const [oldest, { history }] of [...this.#idle]) {
      if (left <= (this.#options.maxMemoryBytes ?? defaultMaxMemoryBytes) || history === idle.history) return;
      this.#idle.delete(oldest);
      if (![...this.#idle.values()].some((one) => one.history === history)) left -= history.memoryBytes;
    }
  }
}

function keyOf(thread: string, events: readonly StateEvent[]): string {
  return `${events.at(-1)?.id ?? ''} ${thread}`;
}

function endOf(messages: readonly BaseMessage[]): string {
  return `${messages.length} ${messages.at(-1)?.id ?? ''}`;
}
