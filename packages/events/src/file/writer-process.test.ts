import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath, getuid } from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failingDisk, refusedWriter } from '../../test-support/crash/refused-writer.js';
import { bundleWriter, startWriter, storedIds } from '../../test-support/crash/writer-under-test.js';

let folder: string;
let program: string;

beforeAll(async () => ({ folder, program } = await bundleWriter()));

afterAll(async () => await rm(folder, { recursive: true, force: true }));

test('a full disk: a typed error, nothing of the failed append stays, the log is readable and goes on', async () => {
  const where = { directory: folder, conversationId: 'full' };
  const limited = ['sh', '-c', 'ulimit -f 64; exec "$@"', 'sh', execPath, program];
  const writer = startWriter(limited, { ...where, prefix: 'a-', largeBytes: 9_000 });
  await writer.ended;
  expect(writer.told.at(-1)).toBe('failed EFBIG');
  expect(writer.ids('done').length).toBeGreaterThan(3);

  const acknowledged = writer.ids('done').flat();
  const repairs: unknown[] = [];
  expect(await storedIds(folder, 'full', (report) => repairs.push(report))).toEqual(acknowledged);
  expect(repairs).toEqual([]);
  expect(await readdir(folder)).not.toContain('full.lock');

  const next = startWriter([execPath, program], { ...where, prefix: 'b-', appends: 2 });
  await next.ended;
  expect(await storedIds(folder, 'full')).toEqual([...acknowledged, 'b-1', 'b-2', 'b-3']);
});

test.each([1, 20])(
  'a full disk while the log is held, %i appends at a time: nothing of a failed append stays, and what fits goes on',
  async (together) => {
    const limited = ['sh', '-c', 'ulimit -f 64; exec "$@"', 'sh', execPath, program];
    const where = { directory: folder, conversationId: `full-held-${together}` };
    const options = { held: 1_000, together, failures: 3 * together, largeBytes: 9_000 };
    const { acknowledged, failed } = await refusedWriter(limited, where, options);
    expect(new Set(failed)).toEqual(new Set(['EFBIG']));
    expect(failed.length).toBeGreaterThanOrEqual(3 * together);
    if (together === 1) expect(acknowledged).toBeGreaterThan(5);
  },
);

const failing = failingDisk([execPath]);
if (failing === undefined) console.log('skipped: this system has no strace, or forbids it, so no disk fails');

test.skipIf(failing === undefined).each([
  { name: 'alone', together: 1 },
  { name: 'together', together: 4 },
  { name: 'held-together', together: 4, held: 100 },
])('a disk that fails (EIO), $name: nothing of a failed append stays, and the others are there', async (options) => {
  const where = { directory: folder, conversationId: `failing-${options.name}` };
  const { name: _, ...rest } = options;
  const written = await refusedWriter([...(failing ?? []), program], where, {
    ...rest,
    failures: 12,
    largeBytes: 9_000,
  });
  expect(new Set(written.failed)).toEqual(new Set(['EIO']));
  expect(written.acknowledged).toBeGreaterThan(0);
});

test('a log that is open for writing keeps no process alive, and what it leaves is no hindrance', async () => {
  const where = { directory: folder, conversationId: 'left', appends: 1, held: 5 };
  const first = startWriter([execPath, program], { ...where, prefix: 'a-', leavesOpen: true });
  await first.ended;
  expect(first.told.at(-1)).toBe('done a-1');
  expect(await readdir(folder)).toContain('left.lock');
  await startWriter([execPath, program], { ...where, prefix: 'b-' }).ended;
  expect(await storedIds(folder, 'left')).toEqual(['a-1', 'b-1']);
  expect(await readdir(folder)).not.toContain('left.lock');
});

test('a read-only folder: a typed error, and the log is readable', async () => {
  const directory = join(folder, 'read-only');
  await mkdir(directory);
  const where = { directory, conversationId: 'c' };
  await startWriter([execPath, program], { ...where, prefix: 'a-', appends: 3 }).ended;
  await chmod(join(directory, 'c.jsonl'), 0o444);
  await chmod(directory, 0o555);
  // The system administrator is refused nothing, so somebody else has to try.
  const somebody = getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const writer = startWriter([execPath, program], { ...where, prefix: 'b-' }, somebody);
  await writer.ended;
  expect(writer.told).toEqual(['read 6', 'try b-1', 'failed EACCES']);
  await chmod(directory, 0o755);
});

const trace = ['-f', '-y', '-qq', '-e', 'trace=write,pwrite64,writev,fsync,fdatasync'];
const canTrace = spawnSync('strace', [...trace, 'true']).status === 0;
if (!canTrace)
  console.log('skipped: this system has no strace, or forbids it, so the order of system calls is not seen');

test.skipIf(!canTrace)(
  'the events and the name of the file are on the disk before the append is acknowledged',
  async () => {
    const output = join(folder, 'trace');
    const command = ['strace', ...trace, '-o', output, execPath, program];
    await startWriter(command, { directory: folder, conversationId: 'traced', prefix: 'a-', appends: 3 }).ended;
    // 'W' a write to the log, 'S' the end of its fsync, 'D' the end of the folder's, 'A' the acknowledgement.
    expect(systemCalls(await readFile(output, 'utf8'))).toBe(
      [
        'DWSA', // the first append: the folder's name for the file, then the event
        'WSWSA', // two events: the last one when the first is on the disk
        'WSWSA', // three events
      ].join(''),
    );
    const held = { directory: folder, conversationId: 'traced', prefix: 'b-', appends: 1, held: 1 };
    await startWriter(['strace', ...trace, '-o', output, execPath, program], held).ended;
    expect(systemCalls(await readFile(output, 'utf8'))).toBe('DWSA');
  },
);

function systemCalls(traced: string): string {
  const underWay = new Map<string, string>();
  let order = '';
  for (const line of traced.split('\n')) {
    const [, thread = '', call = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (call.includes('<unfinished')) underWay.set(thread, call);
    const whole = call.startsWith('<...') ? (underWay.get(thread) ?? '') : call;
    const begins = !call.startsWith('<...');
    const ends = !call.includes('<unfinished');
    if (/^p?write(64|v)?\(\d+<[^>]*traced\.jsonl>/.test(whole) && begins) order += 'W';
    if (/^f(data)?sync\(\d+<[^>]*traced\.jsonl>/.test(whole) && ends) order += 'S';
    if (whole.startsWith('fsync(') && whole.includes(`<${folder}>`) && ends) order += 'D';
    if (/^write\(1<.*"done /.test(whole) && begins) order += 'A';
  }
  return order;
}
