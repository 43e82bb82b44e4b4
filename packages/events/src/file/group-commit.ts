import { ConcurrencyError } from '../errors.js';
import { linesOf } from './write-lines.js';
import type { AppendLines } from './write-lines.js';

/** An append that waits to be written. */
export interface WaitingAppend {
  /** The JSON text of each event; none where the append only asks for the version. */
  readonly texts: readonly string[];
  readonly expectedVersion: number | undefined;
  /** Called with the version after the append. */
  readonly resolve: (version: number) => void;
  /** Called when nothing was appended. */
  readonly reject: (error: unknown) => void;
}

/** Runs the work after all work that was queued before. */
export type InTurn = (work: () => Promise<void>) => Promise<void>;

/** Appends that wait are written together up to this size, so that one buffer holds them. Unit: UTF-16 code units. */
const maxGroupLength = 1 << 24;

/**
 * Collects the appends that wait for their turn, so that one write and one fsync store all of them. Each append has a result
 * of its own. If the group cannot be written, all of its appends fail with the same error.
 */
export class GroupCommit {
  readonly #inTurn: InTurn;
  readonly #commit: (group: readonly WaitingAppend[]) => Promise<void>;
  #waiting: WaitingAppend[] = [];

  /** @param commit - settles every append of the group, or rejects; then the appends that are not settled fail */
  constructor(inTurn: InTurn, commit: (group: readonly WaitingAppend[]) => Promise<void>) {
    this.#inTurn = inTurn;
    this.#commit = commit;
  }

  /** Appends, all or none, and resolves to the new version. */
  append(texts: readonly string[], expectedVersion: number | undefined): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ texts, expectedVersion, resolve, reject });
      if (this.#waiting.length === 1) void this.#schedule();
    });
  }

  /** Writes all waiting appends in one turn, so that no write is under way when the next turn begins. */
  async #schedule(): Promise<void> {
    await this.#inTurn(async () => {
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const group of groupsOf(waiting)) {
        try {
          await this.#commit(group);
        } catch (error) {
          for (const { reject } of group) reject(error);
        }
      }
    });
  }
}

function groupsOf(waiting: readonly WaitingAppend[]): readonly (readonly WaitingAppend[])[] {
  const groups: WaitingAppend[][] = [];
  let length = Infinity;
  for (const append of waiting) {
    const own = append.texts.reduce((sum, text) => sum + text.length, 0);
    length += own;
    if (length > maxGroupLength) {
      groups.push([]);
      length = own;
    }
    groups.at(-1)?.push(append);
  }
  return groups;
}

/** The appends of a group that a log accepts at its version. */
export interface AdmittedGroup {
  /** The lines of all appends that are at the version they expect; undefined when there are none. */
  readonly lines: AppendLines | undefined;
  /** Resolves each append. Call it only after the lines are stored: until then the version is not certain. */
  settle(): void;
}

/**
 * Decides, in order, which appends of a group are at the version that they expect. The others fail alone, with
 * {@link ConcurrencyError}. The lines that are written together are one append on the disk: all or none of them count.
 */
export function admit(group: readonly WaitingAppend[], conversationId: string, version: number): AdmittedGroup {
  const texts: string[][] = [];
  const settlements: (() => void)[] = [];
  let next = version;
  for (const { texts: own, expectedVersion, resolve, reject } of group) {
    if (expectedVersion !== undefined && expectedVersion !== next) {
      const actualVersion = next;
      settlements.push(() => reject(new ConcurrencyError({ conversationId, expectedVersion, actualVersion })));
      continue;
    }
    texts.push(own as string[]);
    const after = (next += own.length);
    settlements.push(() => resolve(after));
  }
  const all = texts.length === 1 ? (texts[0] ?? []) : texts.flat();
  return {
    lines: all.length === 0 ? undefined : linesOf(all),
    settle: () => settlements.forEach((settle) => settle()),
  };
}
