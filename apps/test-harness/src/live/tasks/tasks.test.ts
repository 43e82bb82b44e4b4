import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { factsNeededBy } from '@palimpsest/provider-servers';
import { parse } from 'smol-toml';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { solvers } from '../../../test-support/task-solvers.js';
import { familyNames } from '../choices.js';
import { generatedTask, taskFamilies } from './families.js';
import { taskFiles, writeTask } from './folder.js';
import type { GeneratedTask } from './task.js';

const run = promisify(execFile);
const plain = (text = '') =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .join('\n');

/** The fields of Harbor's task.toml, schema 1.1, that a task of ours may have. Harbor fails for a wrong type, and drops what it does not know. */
const harborTask = z.strictObject({
  schema_version: z.literal('1.1'),
  task: z.strictObject({
    name: z.string().regex(/^[a-zA-Z0-9_-][a-zA-Z0-9._-]*\/[a-zA-Z0-9_-][a-zA-Z0-9._-]*$/),
    description: z.string(),
    keywords: z.array(z.string()),
  }),
  metadata: z.record(z.string(), z.unknown()),
  agent: z.strictObject({ timeout_sec: z.number() }),
  verifier: z.strictObject({ timeout_sec: z.number() }),
  environment: z.strictObject({
    build_timeout_sec: z.number(),
    cpus: z.int(),
    memory_mb: z.int(),
    storage_mb: z.int(),
  }),
});

/** Follows the plan with the memory of all that was read. Returns what stands in the folder in the end. */
function carriedOut({ instruction, files, plan }: GeneratedTask): Readonly<Record<string, string>> {
  const now: Record<string, string> = { ...files };
  let seen = instruction;
  for (const step of plan.steps) {
    const value = (name: string): string => {
      const fact = plan.facts[name];
      if (fact === undefined || !seen.includes(fact.shows)) throw new Error(`Nothing has shown '${name}'.`);
      if (fact.file !== undefined && now[fact.file]?.split('\n')[(fact.line ?? 0) - 1]?.includes(fact.shows) === false)
        throw new Error(`'${name}' stands at another line.`);
      return fact.value;
    };
    const text = (template: string) =>
      factsNeededBy({ do: 'write', file: '', text: template }).reduce(
        (whole, name) => whole.replaceAll(`{{${name}}}`, value(name)),
        template,
      );
    if (step.do === 'read') seen += now[step.file] ?? '';
    else if (step.do === 'write') seen += now[step.file] = text(step.text);
    else now[step.file] = (now[step.file] ?? '').replace(text(step.oldText), text(step.newText));
  }
  return now;
}

test('the help of the command names all families', () => {
  expect(familyNames).toEqual(taskFamilies.map(({ name }) => name));
});

for (const family of taskFamilies) {
  test.each([4, 13, 110])(
    `${family.name} of size %i is solved by its instruction and its files, and by its plan`,
    (size) => {
      const task = generatedTask(family, size, 7);
      const solved = solvers[family.name]?.(task) ?? {};
      const done = carriedOut(task);
      for (const [file, text] of Object.entries(task.expected)) {
        expect([file, plain(solved[file])]).toEqual([file, plain(text)]);
        expect(plain(done[file])).toBe(plain(text));
      }
    },
  );

  test(`${family.name} is the same for a seed, and another for another`, () => {
    const of = (seed: number) => JSON.stringify(generatedTask(family, 6, seed));
    expect(of(3)).toBe(of(3));
    expect(of(3)).not.toBe(of(4));
  });

  test(`${family.name} needs what was seen long ago, and much of it`, () => {
    const { plan, files, expected } = generatedTask(family, 40, 1);
    const facts = new Set(plan.steps.flatMap(factsNeededBy));
    expect(facts.size).toBeGreaterThanOrEqual(16);
    // What is expected stands nowhere in the agent's folder.
    for (const [file, text] of Object.entries(expected)) expect(Object.values(files)).not.toContain(text || file);
  });

  test(`${family.name} is a folder of Harbor's format, whose check an empty folder and a guess fail`, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-tasks-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const task = generatedTask(family, 5, 1);
    const place = await writeTask(folder, task);
    expect(Object.keys(taskFiles(task))).toEqual(
      expect.arrayContaining([
        'task.toml',
        'instruction.md',
        'environment/Dockerfile',
        'tests/test.sh',
        'solution/solve.sh',
      ]),
    );
    harborTask.parse(parse(await readFile(path.join(place, 'task.toml'), 'utf8')));

    const app = path.join(folder, 'app');
    const env = { ...process.env, TASK_APP: app, TASK_VERIFIER: path.join(folder, 'verifier') };
    const reward = async () => {
      await run('sh', [path.join(place, 'tests/test.sh')], { env });
      return (await readFile(path.join(folder, 'verifier/reward.txt'), 'utf8')).trim();
    };
    await cp(path.join(place, 'environment/files'), app, { recursive: true });
    expect(await reward()).toBe('0');
    for (const [file, text] of Object.entries(task.expected)) {
      await mkdir(path.dirname(path.join(app, file)), { recursive: true });
      await writeFile(path.join(app, file), text.replace(/\d{5}/g, '48213'));
    }
    expect(await reward()).toBe('0');
    await cp(path.join(place, 'environment/files'), app, { recursive: true });
    await run('sh', [path.join(place, 'solution/solve.sh')], { env });
    expect(await reward()).toBe('1');
  });
}
