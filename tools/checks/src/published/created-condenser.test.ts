import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { install, node, npmInstall } from './pack.js';
import { workspaceRoot } from '../workspace.js';

const run = promisify(execFile);
const modules = path.join(workspaceRoot, 'node_modules');
/** The tools that the new package is developed with. They are the workspace's own, so no registry is asked. */
const developmentTools = ['vitest', 'typescript'];

let root: string;
let project: string;

/** The author's way: create, install, build. What is ours comes from tarballs. */
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'created-condenser-'));
  const tarballs = new Map(inject('tarballs'));
  const create = path.join(root, 'create');
  await install(create, ['@palimpsest/create-condenser'], inject('everything'));
  const command = path.join(create, 'node_modules/@palimpsest/create-condenser/dist/cli.js');
  await run(process.execPath, [command, '@acme/condenser-keep-newest'], { cwd: root });

  project = path.join(root, 'condenser-keep-newest');
  const files = Object.fromEntries([...tarballs].map(([name, file]) => [name, `file:${file}`]));
  const manifest = JSON.parse(await readFile(path.join(project, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
    peerDependencies: Record<string, string>;
    devDependencies: Record<string, string>;
    overrides?: Record<string, string>;
  };
  for (const tool of Object.keys(manifest.devDependencies)) {
    if (files[tool] === undefined) delete manifest.devDependencies[tool];
  }
  for (const group of [manifest.dependencies, manifest.peerDependencies, manifest.devDependencies]) {
    for (const name of Object.keys(group)) group[name] = files[name] ?? group[name] ?? '';
  }
  manifest.overrides = Object.fromEntries(
    Object.entries(files).filter(
      ([name]) => ![manifest.dependencies, manifest.devDependencies].some((group) => name in group),
    ),
  );
  await writeFile(path.join(project, 'package.json'), JSON.stringify(manifest));
  await npmInstall(project);
  for (const tool of developmentTools)
    await symlink(path.join(modules, tool), path.join(project, 'node_modules', tool));
  await node(project, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json']);
});

afterAll(() => rm(root, { recursive: true, force: true }));

describe('a package that `npm create @palimpsest/condenser` wrote', () => {
  it('passes its contract under vitest', async () => {
    const report = await node(project, [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--dir',
      'src',
      '--reporter=json',
      '--test-timeout=120000',
    ]);
    const { numPassedTests, success } = JSON.parse(report) as { numPassedTests: number; success: boolean };

    expect(success).toBe(true);
    expect(numPassedTests).toBeGreaterThan(15);
  });

  it('passes its contract under node:test, as it is published', async () => {
    expect(await node(project, ['--test', '--test-reporter=tap', 'test/contract.test.mjs'])).toMatch(/^# fail 0$/m);
  });

  describe('is loaded by name', () => {
    let config: string;

    beforeAll(async () => {
      // A consumer has it installed beside the configuration.
      const consumer = path.join(root, 'consumer');
      await mkdir(path.join(consumer, 'node_modules/@acme'), { recursive: true });
      await cp(project, path.join(consumer, 'node_modules/@acme/condenser-keep-newest'), { recursive: true });
      config = path.join(consumer, 'condenser.toml');
      const options = 'options = { maxSize = 40 }';
      await writeFile(config, `[condenser]\nuse = "@acme/condenser-keep-newest"\n${options}\n`);
    });

    it('by the harness', async () => {
      const harness = path.join(workspaceRoot, 'apps/test-harness/dist/cli.js');
      const log = path.join(workspaceRoot, 'corpus/demo-default.jsonl');
      const { rows } = JSON.parse(await node(root, [harness, 'replay', log, '--config', config, '--json'])) as {
        rows: { condenser: string; condensations: number; refusedLists: number }[];
      };

      expect(rows.map(({ condenser }) => condenser)).toEqual(['none', 'keepNewest maxSize=40']);
      expect(rows[1]).toMatchObject({ refusedLists: 0 });
      expect(rows[1]?.condensations).toBeGreaterThan(0);
    });

    it('by the reference agent', async () => {
      const agent = path.join(workspaceRoot, 'apps/reference-agent/dist/cli.js');
      const logs = path.join(root, 'logs');
      const lines = await node(root, [agent, 'demo', '--json', '--log-dir', logs, '--config', config]);
      const report = JSON.parse(lines.trimEnd().split('\n').at(-1) ?? '') as {
        logFile: string;
        failure?: string;
      };

      expect(report.failure).toBeUndefined();
      expect(await readFile(report.logFile, 'utf8')).toContain('"condenser":"keepNewest"');
    });
  });
});
