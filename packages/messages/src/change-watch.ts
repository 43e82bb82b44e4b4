import { ChangedMessagesError } from './errors.js';
import type { HistoryLog } from './history-log.js';

/** One change is an edit. */
const changesInARow = 3;
const maxLists = 8;

/** What is kept of a list: its digests. */
interface SeenList {
  readonly beginnings: readonly string[];
  /** The index and the digest of its newest answer. */
  readonly newest: number;
  readonly answer: string | undefined;
  /** How many requests in a row have changed a message. */
  readonly changes: number;
  readonly isTold: boolean;
}

/** Notices hosts that change a message at each request, before an answer that they keep. */
export class ChangeWatch {
  /** The one that was seen last is the last. */
  #lists: readonly SeenList[] = [];

  /** The error for a host that does so, once. */
  look(log: HistoryLog): ChangedMessagesError | undefined {
    const { list } = log;
    const beginnings = Array.from({ length: list.length }, (_, index) => list.beginning(index + 1));
    const newest = list.throughAnswer - 1;
    const answer = list.at(newest)?.digest;
    const last = this.#lists.findLast((seen) => list.digestsFrom(seen.newest).includes(seen.answer ?? ''));
    const index = last?.beginnings.findIndex((beginning, at) => beginning !== beginnings[at]) ?? -1;
    const changes = last !== undefined && index >= 0 && index < last.newest ? last.changes + 1 : 0;
    const isTold = last?.isTold === true || changes === changesInARow;
    const others = this.#lists.filter((seen) => seen !== last).slice(1 - maxLists);
    this.#lists = [...others, { beginnings, newest, answer, changes, isTold }];
    if (changes !== changesInARow || last?.isTold === true) return undefined;
    return new ChangedMessagesError({ index, tokens: log.tokensFrom(index) });
  }
}
