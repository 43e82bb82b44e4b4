import { spawnSync } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { killWriters } from '../packages/events/test-support/crash/kill-writers.js';
import { failingDisk, refusedWriter } from '../packages/events/test-support/crash/refused-writer.js';
import { rivalWriters } from '../packages/events/test-support/crash/rival-writers.js';
import { bundleWriter } from '../packages/events/test-support/crash/writer-under-test.js';

/** The number of writing processes to kill. 10,000 take about half an hour on two cores. */
const rounds = Number(process.argv[2] ?? 10_000);

const start = performance.now();
const { killed, acknowledged, unacknowledged, repairs, staleLocks } = await killWriters({ rounds, atATime: 4 });
console.log(`${killed} writers killed in ${((performance.now() - start) / 1000).toFixed(0)} s`);
console.log(
  `${acknowledged} acknowledged events, all there; ${unacknowledged} whole events that were not acknowledged`,
);
console.log(`${repairs} torn ends repaired, ${staleLocks} locks of the dead removed`);

const { folder, program } = await bundleWriter();
const command = [execPath, program];
try {
  const total = { writers: 0, acknowledged: 0, ousted: 0 };
  for (let storm = 0; total.writers < rounds / 10; storm++) {
    const rivals = { directory: folder, program, conversationId: `storm-${storm}`, atATime: 10, killsEach: 2 };
    const told = await rivalWriters(rivals);
    for (const key of ['writers', 'acknowledged', 'ousted'] as const) total[key] += told[key];
  }
  console.log(
    `${total.writers} rival writers killed: ${total.acknowledged} acknowledged events, all there once; ` +
      `${total.ousted} appends of living writers that were ousted`,
  );
  await refuse('a full disk (ENOSPC)', command, await smallDisk(join(folder, 'small')));
  await refuse('a disk that fails (EIO)', failingDisk(command), folder);
} finally {
  spawnSync('umount', [join(folder, 'small')]);
  await rm(folder, { recursive: true, force: true });
}

/** Appends to a disk that rejects some writes: single and concurrent appends, with and without a log open for writing. */
async function refuse(disk: string, writer: readonly string[] | undefined, directory: string | undefined) {
  if (writer === undefined || directory === undefined) return console.log(`skipped: ${disk} cannot be made here`);
  let [stored, refused] = [0, 0];
  for (const held of [undefined, 4]) {
    for (const together of [1, 4, 20]) {
      const where = { directory, conversationId: `refused-${together}-${held}` };
      const options = { failures: 40, together, largeBytes: 9_000, held };
      const told = await refusedWriter(writer, where, options);
      stored += told.acknowledged;
      refused += told.failed.length;
      // The next run gets an empty disk.
      await rm(join(directory, `${where.conversationId}.jsonl`));
    }
  }
  console.log(`${disk}: ${refused} appends failed and left nothing; ${stored} acknowledged appends, all there`);
}

/** Mounts a folder with a capacity of 256 KiB. Undefined if this user may not mount one. */
async function smallDisk(directory: string): Promise<string | undefined> {
  await mkdir(directory);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', directory]);
  return mounted.status === 0 ? directory : undefined;
}
