import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workspaceRoot } from '../workspace.js';

// The harness runs our agent behind our gateway, all as they are built, with models whose truth is known.

const run = promisify(execFile);
const commandOf = (app: string) => `'${process.execPath}' '${path.join(workspaceRoot, 'apps', app, 'dist/cli.js')}'`;
const harness = path.join(workspaceRoot, 'apps/test-harness/dist/cli.js');

interface Result {
  readonly arm: string;
  readonly solved: boolean;
  readonly steps: number;
  readonly rereads: { readonly results: number };
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-live-run-'));
  await run(process.execPath, [
    harness,
    'tasks',
    path.join(folder, 'tasks'),
    '--size',
    '5',
    '--family',
    'early-constants',
  ]);
  await writeFile(path.join(folder, 'agent.toml'), 'enable_default_condenser = false\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function resultsOf(model: string, { api, arms }: { readonly api: string; readonly arms: readonly string[] }) {
  const [variable, name] =
    api === 'messages' ? ['ANTHROPIC_BASE_URL', 'anthropic/claude-haiku-4-5'] : ['OPENAI_BASE_URL', 'openai/gpt-4.1'];
  const agent = `${commandOf('reference-agent')} --yolo --model ${name} --config '${folder}/agent.toml' --cwd {cwd} -p {instruction}`;
  const output = path.join(folder, `${model}-${api}`);
  const parameters = [
    'live',
    path.join(folder, 'tasks'),
    '--agent',
    agent,
    '--gateway',
    commandOf('gateway'),
    '--env',
    variable,
  ];
  const options = ['--scripted', model, '-o', output, ...arms.flatMap((arm) => ['--arm', arm])];
  await run(process.execPath, [harness, ...parameters, ...options]);
  const lines = (await readFile(path.join(output, 'results.jsonl'), 'utf8')).trim().split('\n');
  return Object.fromEntries(lines.map((line) => JSON.parse(line) as Result).map((result) => [result.arm, result]));
}

const arms = ['none', 'truncation:8000'];

test.each(['messages', 'chat'])('a needy model reads again what truncation hides, on %s', async (api) => {
  const { none, truncation } = await resultsOf('needy', { api, arms });
  // Eleven files to read, one to write, and the last answer.
  expect(none).toMatchObject({ solved: true, steps: 13, rereads: { results: 0 } });
  expect(truncation?.steps).toBeGreaterThan(13);
  expect(truncation?.rereads.results).toBeGreaterThan(0);
});

test('a forgetful model fails for it, and an indifferent one does not notice', async () => {
  const forgetful = await resultsOf('forgetful', { api: 'messages', arms });
  expect([forgetful['none']?.solved, forgetful['truncation']?.solved]).toEqual([true, false]);
  const indifferent = await resultsOf('indifferent', { api: 'messages', arms: ['truncation:8000'] });
  expect(indifferent['truncation']).toMatchObject({ solved: true, steps: 13, rereads: { results: 0 } });
});
