import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { installAll, packAll } from '../../../tools/checks/src/published/pack.js';
import { workspaceRoot } from '../../../tools/checks/src/workspace.js';
import { controlServer } from './control-server.js';
import { program } from './program.js';
import { runtimes } from './runtimes.js';
import { table } from './table.js';
import type { SuiteResult } from './suites.js';

// Runs the contract suites on each runtime, by packed packages, and writes docs/runtimes.md.

const page = path.join(workspaceRoot, 'docs/runtimes.md');

/** A runtime, and what it made of the suites. */
export interface Run {
  readonly runtime: string;
  readonly results: readonly SuiteResult[];
}

const project = await mkdtemp(path.join(tmpdir(), 'runtimes-'));
try {
  await installAll(project, await packAll(project));
  for (const sdk of ['openai', '@anthropic-ai/sdk']) await provide(sdk);
  const control = await controlServer(await program('in-page', 'browser', project));
  const runs: Run[] = [];
  try {
    await writeFile(path.join(project, 'in-process.mjs'), await program('in-process', 'node', project));
    await writeFile(path.join(project, 'in-worker.mjs'), await program('in-worker', 'worker', project));
    for (const [name, start] of Object.entries(runtimes(project, control.url))) {
      const begun = performance.now();
      const { version, results } = await start();
      runs.push({ runtime: `${name.replace(/ \d+$/, '')} ${version}`, results });
      const failed = results.flatMap(({ subject, failed }) => failed.map((each) => `${subject}: ${each}`));
      const passed = results.reduce((sum, result) => sum + result.passed, 0);
      console.log(
        `${name} ${version}: ${passed} passed, ${failed.length} failed, ${Math.round((performance.now() - begun) / 1_000)} s`,
      );
      for (const each of failed) console.log(`  ${each}`);
    }
  } finally {
    await control.close();
  }
  await writeFile(page, await format(table(runs), { ...(await resolveConfig(page)), filepath: page }));
  console.log(`Written: ${path.relative(workspaceRoot, page)}`);
  if (runs.some(({ results }) => results.some(({ failed }) => failed.length > 0))) process.exitCode = 1;
} finally {
  await rm(project, { recursive: true, force: true });
}

/** An optional peer that no package of ours has installed. */
async function provide(sdk: string): Promise<void> {
  const place = path.join(project, 'node_modules', sdk);
  if (existsSync(place)) return;
  await mkdir(path.dirname(place), { recursive: true });
  await symlink(path.join(workspaceRoot, 'node_modules', sdk), place);
}
