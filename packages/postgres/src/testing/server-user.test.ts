import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeServerUser } from './server-user.js';

const hasFlock = (() => {
  try {
    execFileSync('flock', ['/etc', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
if (!hasFlock) console.log('skipped: this system has no flock');

test.skipIf(!hasFlock)('of processes that begin at the same time one makes the user of a server', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-user-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const calls = path.join(folder, 'calls');
  const users = path.join(folder, 'users');
  for (const [name, line] of [
    ['id', `[ -e ${users} ]`],
    ['groupadd', `echo groupadd >> ${calls}`],
    ['useradd', `echo useradd >> ${calls}; : > ${users}`],
  ] as const)
    await writeFile(path.join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
  await Promise.all(Array.from({ length: 6 }, () => makeServerUser(env)));
  expect(await readFile(calls, 'utf8')).toBe('groupadd\nuseradd\n');
});
