import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { build } from 'tsup';
import { expect, test } from 'vitest';

test('the contract runs under node:test as well, and fails there where it has to', async () => {
  const outDir = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  const entry = { program: join(import.meta.dirname, '../../test-support/node-test-program.ts') };
  const outExtension = () => ({ js: '.mjs' });
  await build({
    entry,
    outDir,
    outExtension,
    format: 'esm',
    noExternal: [/./],
    removeNodeProtocol: false,
    config: false,
    silent: true,
  });
  const { stdout } = spawnSync(execPath, ['--test-reporter=tap', join(outDir, 'program.mjs')], { encoding: 'utf8' });
  await rm(outDir, { recursive: true });
  const lines = stdout.split('\n').filter((line) => /^(not )?ok /.test(line));
  const [good, broken] = [false, true].map((isBroken) =>
    lines.filter((line) => line.includes('- broken ') === isBroken),
  );
  expect(good?.length).toBeGreaterThan(15);
  expect(good?.filter((line) => line.startsWith('not ok'))).toEqual([]);
  expect(broken?.filter((line) => line.startsWith('not ok')).length).toBeGreaterThan(5);
});
