import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { execPath } from 'node:process';
import { bundleWriter, startWriter, storedIds } from './writer-under-test.js';

/** A report of the writers that were killed. */
export interface KilledWriters {
  readonly killed: number;
  /** Unit: events. Every one of them was there afterwards. */
  readonly acknowledged: number;
  /** Events of appends that were whole when their writer died, and had not been acknowledged. */
  readonly unacknowledged: number;
  /** Logs whose end was torn. */
  readonly repairs: number;
  /** Locks that their writer took into the grave. */
  readonly staleLocks: number;
}

/**
 * Kills writers at random moments, several at a time, and looks after each what its log holds.
 *
 * @throws when an acknowledged event is not there once and in its place, or an append is there in part.
 */
export async function killWriters(options: {
  readonly rounds: number;
  readonly atATime: number;
}): Promise<KilledWriters> {
  const { folder, program } = await bundleWriter();
  const total = { killed: 0, acknowledged: 0, unacknowledged: 0, repairs: 0, staleLocks: 0 };
  let round = 0;
  const lane = async (name: string) => {
    let expected: string[] = [];
    for (let own = 0; round < options.rounds; own++) {
      const prefix = `${round++}-`;
      // A few rounds share a log, so that a writer meets what a killed one left.
      if (own % 10 === 0) expected = [];
      const conversationId = `${name}-${Math.floor(own / 10)}`;
      const where = { directory: folder, conversationId, prefix };
      // One after another and several at a time, each with the log open for writing and without.
      const together = [1, 1, 5, 20][own % 4] ?? 1;
      const held = own % 3 === 0 ? {} : { held: 3 };
      const writer = startWriter([execPath, program], { ...where, largeBytes: 200_000, together, ...held });
      await writer.appended(1 + Math.floor(Math.random() * 5 * together));
      // Somewhere in the append that is under way by now.
      for (let turns = Math.floor(Math.random() * 200); turns > 0; turns--) await new Promise(setImmediate);
      writer.process.kill('SIGKILL');
      await writer.ended;
      assert.equal(writer.process.exitCode, null, 'a writer ended before it was killed');
      total.killed++;
      if ((await readdir(folder)).includes(`${conversationId}.lock`)) total.staleLocks++;

      const acknowledged = writer.ids('done').flat();
      const underWay = writer.ids('try').slice(writer.ids('done').length);
      assert.ok(underWay.length <= together);
      expected.push(...acknowledged);
      const stored = await storedIds(folder, conversationId, () => total.repairs++);
      assert.deepEqual(stored.slice(0, expected.length), expected);
      const more = stored.slice(expected.length);
      // What was not acknowledged is there in order, and every append of it whole.
      const whole = underWay.findIndex((_, index) => underWay.slice(0, index).flat().length === more.length);
      assert.deepEqual(more, (whole === -1 ? underWay : underWay.slice(0, whole)).flat());
      expected.push(...more);
      total.acknowledged += acknowledged.length;
      total.unacknowledged += more.length;
      if (own % 10 === 9) await rm(`${folder}/${conversationId}.jsonl`);
    }
  };
  try {
    await Promise.all(Array.from({ length: options.atATime }, (_, index) => lane(`lane${index}`)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return total;
}
