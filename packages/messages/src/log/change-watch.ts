import { ChangedMessagesError } from '../errors.js';
import type { HistoryLog } from './history-log.js';
import type { HostList } from './host-list.js';
import { isSameSnapshot } from './snapshot.js';

/** One change is an edit. */
const changesInARow = 3;
const maxLists = 8;

/** A list as it was at a request. */
interface SeenList {
  readonly list: HostList;
  readonly length: number;
  /** The index of its newest answer; -1 if there is none. */
  readonly newest: number;
  /** The number of requests in a row that have changed a message. */
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
    const { length } = list;
    const newest = list.throughAnswer - 1;
    const last = this.#lists.findLast((seen) => continuesAs(seen, list));
    const index = last === undefined || last.list === list ? -1 : firstDifference(last, list);
    const changes = last !== undefined && index >= 0 && index < last.newest ? last.changes + 1 : 0;
    const isTold = last?.isTold === true || changes === changesInARow;
    const others = this.#lists.filter((seen) => seen !== last).slice(1 - maxLists);
    this.#lists = [...others, { list, length, newest, changes, isTold }];
    if (changes !== changesInARow || last?.isTold === true) return undefined;
    return new ChangedMessagesError({ index, tokens: log.tokensFrom(index) });
  }
}

/** True for a list with the newest answer of another one, where that one has it or behind. */
function continuesAs({ list: seen, newest }: SeenList, list: HostList): boolean {
  if (seen === list) return true;
  const answer = seen.at(newest);
  if (answer === undefined) return false;
  for (let index = newest; index < list.length; index++) {
    if (isSameSnapshot(answer.snapshot, list.at(index)?.snapshot)) return true;
  }
  return false;
}

/** The index of the first message that is another one in a list; -1 if the list begins as before. */
function firstDifference({ list: seen, length }: SeenList, list: HostList): number {
  for (let index = 0; index < length; index++) {
    if (!isSameSnapshot(seen.at(index)?.snapshot, list.at(index)?.snapshot)) return index;
  }
  return -1;
}
