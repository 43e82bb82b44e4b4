import type { Message } from '@palimpsest/events';
import { isDeepFrozen } from './deep-frozen.js';
import { isSameList } from './memo.js';

/** Reads a history from its first message to its last. */
export interface HistoryReader<Self> {
  add(message: Message): void;
  /** A reader that has read the same messages. What it reads from then on does not change this one. */
  fork(): Self;
}

interface Run<Reader> {
  readonly inputs: readonly unknown[];
  /** The messages that the reader has read. */
  readonly messages: Message[];
  readonly reader: Reader;
}

/** Two requests of one conversation can differ, as one with thinking and one without, and so can two forks of it. */
const maxRuns = 2;

const noInputs: readonly unknown[] = [];

/**
 * Remembers readers of histories, so that a history that has grown costs only what is new in it: a reader goes on where it
 * stopped, if the messages that it has read are the first ones of the next history, the same objects in the same order. Only
 * frozen messages count as the same; a history of other messages is read from its beginning each time, and so is one that has
 * changed. A reader lives as long as the first message of its history.
 */
export class HistoryRuns<Reader extends HistoryReader<Reader>> {
  readonly #runs = new WeakMap<object, readonly Run<Reader>[]>();

  /**
   * A reader that has read all messages. It belongs to the caller.
   *
   * @param start - makes a reader that has read nothing
   * @param inputs - everything else that reading depends on: primitive values
   */
  read(messages: readonly Message[], start: () => Reader, inputs: readonly unknown[] = noInputs): Reader {
    const run = this.#run(messages, start, inputs);
    const reader = run.reader.fork();
    for (let index = run.messages.length; index < messages.length; index++) reader.add(messages[index] as Message);
    return reader;
  }

  /** The run that goes farthest, advanced to the last message that a later history can have as well. */
  #run(messages: readonly Message[], start: () => Reader, inputs: readonly unknown[]): Run<Reader> {
    const fresh = (): Run<Reader> => ({ inputs, messages: [], reader: start() });
    const first: unknown = messages[0];
    // A caller without types can pass anything.
    if (typeof first !== 'object' || first === null || !isDeepFrozen(first)) return fresh();
    const runs = this.#runs.get(first) ?? [];
    const run = runs.find((one) => isSameList(one.inputs, inputs) && isStartOf(one.messages, messages)) ?? fresh();
    const others = runs.filter((one) => one !== run);
    // If the reader throws, its run is not used again.
    this.#runs.set(first, others);
    const end = settledEnd(messages);
    for (let index = run.messages.length; index < end; index++) {
      const message = messages[index] as Message;
      if (!isDeepFrozen(message)) break;
      run.reader.add(message);
      run.messages.push(message);
    }
    this.#runs.set(first, [run, ...others.slice(0, maxRuns - 1)]);
    return run;
  }
}

function isStartOf(start: readonly Message[], messages: readonly Message[]): boolean {
  if (start.length > messages.length) return false;
  for (let index = 0; index < start.length; index++) if (start[index] !== messages[index]) return false;
  return true;
}

/** A view can add parts to a user message at the end, which is then another object. */
function settledEnd(messages: readonly Message[]): number {
  return messages.at(-1)?.role === 'user' ? messages.length - 1 : messages.length;
}
