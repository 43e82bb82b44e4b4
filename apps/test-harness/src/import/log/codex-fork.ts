import { objectOf, textOf } from './json.js';
import type { JsonObject } from './json.js';

/** Lines of a copy are written at once. Unit: milliseconds. */
const longestPause = 1000;

/**
 * Finds where the copied history of a Codex rollout ends. A fork's rollout, and a sub-agent's that was given its parent's
 * context, begins with a copy of the parent's lines, some versions with new times, others with the old ones. The first turn of
 * its own has an id (a UUID of version 7) that is not older than the session's. Logs without such ids are told apart by
 * their times: a copy is older than the session, or written at once.
 *
 * @see https://github.com/openai/codex `codex-rs/core/src/agent/control/spawn.rs` and
 * https://github.com/ccusage/ccusage/issues/950
 */
export class CopiedHistory {
  /** The session that the history is of. */
  readonly parent: string;
  readonly #startedAt: number;
  #hasTurnIds: boolean;
  #latest: number;

  private constructor(parent: string, times: { startedAt: number; writtenAt: number }, hasTurnIds: boolean) {
    this.parent = parent;
    this.#startedAt = times.startedAt;
    this.#latest = times.writtenAt;
    this.#hasTurnIds = hasTurnIds;
  }

  /** Returns the copy with which a rollout of these first lines may begin; `undefined` if the session has no parent. */
  static in(head: readonly unknown[]): CopiedHistory | undefined {
    const { payload, timestamp } = objectOf(head[0]);
    const meta = objectOf(payload);
    const spawn = objectOf(objectOf(objectOf(meta['source'])['subagent'])['thread_spawn']);
    const parent =
      textOf(meta['forked_from_id']) ?? textOf(spawn['parent_thread_id']) ?? textOf(meta['parent_thread_id']);
    const writtenAt = timeOf(timestamp) ?? timeOf(meta['timestamp']);
    const startedAt = timeOfId(meta['id']) ?? timeOf(meta['timestamp']) ?? writtenAt;
    if (parent === undefined || startedAt === undefined) return undefined;
    const hasTurnIds = head.some((line) => timeOfTurn(objectOf(line)) !== undefined);
    return new CopiedHistory(parent, { startedAt, writtenAt: writtenAt ?? startedAt }, hasTurnIds);
  }

  /** Returns true for the line with which the session's own history begins. Takes all lines, in order. */
  endsBefore(line: JsonObject): boolean {
    const turn = timeOfTurn(line);
    if (turn !== undefined) {
      this.#hasTurnIds = true;
      return turn >= this.#startedAt;
    }
    if (this.#hasTurnIds) return false;
    const time = timeOf(line['timestamp']);
    // Without ids and times nothing is taken for a copy.
    if (time === undefined) return true;
    if (time < this.#startedAt) return false;
    const pause = time - this.#latest;
    this.#latest = time;
    return pause > longestPause;
  }
}

function timeOfTurn({ payload }: JsonObject): number | undefined {
  return timeOfId(objectOf(payload)['turn_id']);
}

function timeOf(timestamp: unknown): number | undefined {
  const time = Date.parse(textOf(timestamp) ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** Returns the time in a UUID of version 7. Unit: milliseconds since 1970. */
function timeOfId(id: unknown): number | undefined {
  const digits = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/i.exec(textOf(id) ?? '');
  return digits === null ? undefined : Number.parseInt(`${digits[1]}${digits[2]}`, 16);
}
