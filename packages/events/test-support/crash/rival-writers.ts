import assert from 'node:assert/strict';
import { execPath } from 'node:process';
import { startWriter, storedIds } from './writer-under-test.js';
import type { WriterUnderTest } from './writer-under-test.js';

/** A report of writers that took over from each other. */
export interface RivalWriters {
  readonly writers: number;
  /** Unit: events. Every one of them was there afterwards, once. */
  readonly acknowledged: number;
  /** Appends of writers that were alive and taken for dead. */
  readonly ousted: number;
}

/**
 * Lets writers open one log at the same time, append and be killed, again and again. Half of them are on another machine, and in a
 * hurry: they take living writers for dead, too.
 *
 * @throws when an acknowledged event is not there once, or an append is not there in one piece.
 */
export async function rivalWriters(options: {
  readonly directory: string;
  readonly program: string;
  readonly conversationId: string;
  readonly atATime: number;
  readonly killsEach: number;
}): Promise<RivalWriters> {
  const { directory, program, conversationId, atATime, killsEach } = options;
  const all: WriterUnderTest[] = [];
  const start = () => {
    const number = all.length;
    // Those of this machine wait for one of another machine that is killed, and not for half a minute.
    const other = number % 2 === 0 ? { clockSpeed: 100 } : { machineId: `machine ${number % 4}`, clockSpeed: 3_000 };
    const own = { prefix: `p${number}-`, held: 3, together: 1 + (number % 3), largeBytes: 20_000 };
    const writer = startWriter([execPath, program], { directory, conversationId, ...own, ...other });
    all.push(writer);
    return writer;
  };
  const lane = async () => {
    for (let kills = 0; kills < killsEach; kills++) {
      const writer = start();
      await writer.appended(2 + Math.floor(Math.random() * 4));
      writer.process.kill('SIGKILL');
      await writer.ended;
      assert.equal(writer.process.exitCode, null, 'a writer ended before it was killed');
    }
  };
  try {
    await Promise.all(Array.from({ length: atATime }, lane));
  } finally {
    for (const { process } of all) process.kill('SIGKILL');
  }
  const stored = await storedIds(directory, conversationId);
  assert.equal(new Set(stored).size, stored.length);
  for (const [number, writer] of all.entries()) {
    const done = new Set(writer.ids('done').flat());
    assert.deepEqual(
      stored.filter((id) => id.startsWith(`p${number}-`) && done.has(id)),
      [...done],
    );
    for (const ids of writer.ids('try')) {
      const first = stored.indexOf(ids[0] ?? '');
      if (first !== -1) assert.deepEqual(stored.slice(first, first + ids.length), ids);
    }
  }
  return {
    writers: all.length,
    acknowledged: all.flatMap((writer) => writer.ids('done').flat()).length,
    ousted: all.flatMap((writer) => writer.ids('ousted')).length,
  };
}
