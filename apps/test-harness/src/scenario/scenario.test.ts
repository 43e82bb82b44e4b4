import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withFiles } from '../../test-support/fixtures/fixture-files.js';
import { capturedOutput } from '../../test-support/harness.js';
import { scenarioCommand } from '../cli/scenario.js';
import { HarnessError } from '../harness-error.js';
import { runScenario } from './run-scenario.js';
import type { ScenarioResult } from './run-scenario.js';
import { parseScenario, readScenario } from './scenario-file.js';
import { scenarioJsonSchema } from './scenario-schema.js';

const folder = fileURLToPath(new URL('../../scenarios/', import.meta.url));
const names = readdirSync(folder);

function run(text: string): Promise<ScenarioResult> {
  return runScenario(parseScenario('a.yaml', text));
}

/** The problems of a text that is no scenario. */
function problems(text: string): readonly string[] {
  try {
    parseScenario('a.yaml', text);
  } catch (error) {
    if (HarnessError.isInstance(error)) return error.message.split('\n');
    throw error;
  }
  return [];
}

async function command(...files: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const { output, text } = capturedOutput();
  return { code: await scenarioCommand(files, { json: false }, output), text: text() };
}

test.each(names)('%s', async (name) => {
  const scenario = await readScenario(join(folder, name));
  const result = await runScenario(scenario);
  expect(result.failures).toEqual([]);
  // Ids and times are the same in every run.
  expect((await runScenario(scenario)).events).toEqual(result.events);
});

test('the scenario of the documentation runs as it stands', async () => {
  const page = await readFile(fileURLToPath(new URL('../../docs/scenario.md', import.meta.url)), 'utf8');
  const blocks = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text]) => text ?? '');
  expect(blocks).toHaveLength(1);
  expect((await run(blocks[0] ?? '')).failures).toEqual([]);
});

test('every scenario names its schema, and the schema is what the code reads', async () => {
  for (const name of names) {
    const { file } = await readScenario(join(folder, name));
    expect(await readFile(file, 'utf8')).toMatch(/^# yaml-language-server: \$schema=\.\.\/schema\/scenario\.json\n/);
  }
  await expect(`${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`).toMatchFileSnapshot('../../schema/scenario.json');
});

test('an expectation that is not met fails at its line', async () => {
  const { failures } = await run(`name: wrong
tools:
  - { name: read, results: [text] }
turns:
  - user: Read.
    model:
      - calls: [{ tool: read }]
      - Read it.
    expect:
      outcome: { status: stuck, answer: nothing, iterations: 9 }
      requests: 3
      order: [observation, action]
      events:
        - { type: condensation }
        - { type: observation, count: 0 }
        - { type: observation, with: { toolName: write } }
        - { type: observation, contains: text, with: { content: [{ text: text }] }, count: 1 }
      messages:
        - { role: tool, contains: text, count: 2 }
        - { request: 9 }
        - { role: user, contains: Read., count: 1 }
expect:
  events: [{ type: message, count: 7 }]
`);
  expect(failures.map(({ where, message }) => `${where} ${message.split(';')[0] ?? ''}`)).toEqual([
    "a.yaml:10:18 the status is 'finished', not 'stuck'",
    "a.yaml:10:33 the answer is 'Read it.', without 'nothing'",
    'a.yaml:10:50 there were 2 iterations, not 9',
    'a.yaml:14:11 0 such events, not one or more',
    'a.yaml:15:11 1 such events, not 0',
    'a.yaml:16:11 0 such events, not one or more',
    "a.yaml:12:28 no 'action' comes after observation",
    'a.yaml:19:11 1 such messages, not 2',
    'a.yaml:20:11 there is no request 9',
    'a.yaml:11:7 the model was called 2 times, not 3',
    'a.yaml:23:12 2 such events, not 7',
  ]);
});

test('too few and too many replies, and an error that nobody expects, are failures', async () => {
  const short = await run(
    'name: a\ntools: [{ name: read, results: [x] }]\nturns:\n  - user: a\n    model: [{ calls: [{ tool: read }] }]\n',
  );
  expect(short.failures[0]).toEqual({
    where: 'a.yaml:5:5',
    message: 'the model was called 2 times in this turn, and the turn has 1 replies',
  });
  const long = await run('name: a\nturns:\n  - user: a\n    model: [one, two]\n');
  expect(long.failures).toMatchObject([{ message: '1 of 2 replies of the model were not asked for' }]);
  const failed = await run('name: a\nturns:\n  - user: a\n    model: [{ fault: quota }]\n');
  expect(failed.failures).toMatchObject([
    { where: 'a.yaml:3:5', message: expect.stringContaining('not expected') as string },
  ]);
});

test('what is wrong with a file is told with line, column and path, all of it at once', () => {
  const text = `name: bad
tool: []
tools:
  - name: read
    results: []
turns:
  - user: x
    model:
      - fault: explosion
      - calls:
          - { tol: read }
    expect:
      order: 5
`;
  const found = problems(text);
  const places = found.map((problem) => problem.split(':').slice(0, 4).join(':'));
  expect(places).toEqual([
    'a.yaml:5:5: tools[0].results',
    'a.yaml:9:9: turns[0].model[0].fault',
    'a.yaml:11:13: turns[0].model[1].calls[0].tool',
    'a.yaml:11:15: turns[0].model[1].calls[0].tol is not known here',
    'a.yaml:13:7: turns[0].expect.order',
    'a.yaml:2:1: tool is not known here',
  ]);
  expect(problems('name: a\nturns: [\n')[0]).toMatch(/^a\.yaml:3:1: /);
  expect(problems('')[0]).toMatch(/^a\.yaml:1:1: the file/);
  expect(problems('name: a\nname: b\nturns: [{}]\n')[0]).toMatch(/^a\.yaml:2:1: .*unique/);
  const bomb = `name: &a [x, x, x, x, x, x, x, x, x, x]\n${'bcdefgh'.replace(
    /./g,
    (key, index: number) =>
      `${key}: &${key} [${Array(9)
        .fill(`*${'abcdefgh'[index] ?? ''}`)
        .join(', ')}]\n`,
  )}`;
  expect(problems(bomb)[0]).toContain('a.yaml:1:1: ');
});

test('a condenser that there is not is told at its line', async () => {
  const wrong = run('name: a\ncondenser: { type: nosuch }\nturns: [{ user: hi, model: [ok] }]\n');
  await expect(wrong).rejects.toThrow(/^a\.yaml:2:1: condenser: .*nosuch/);
});

test('the command says what became of each file, and reads all of them before it runs one', async () => {
  const good = 'name: good\nturns: [{ user: hi, model: [ok], expect: { requests: 1 } }]\n';
  const bad = 'name: "bad \\e[2J"\nturns: [{ user: hi, model: [ok], expect: { requests: 2 } }]\n';
  await withFiles({ 'good.yaml': good, 'bad.yaml': bad, 'none.yaml': 'name: 5\n' }, async (place) => {
    const [goodFile, badFile] = [join(place, 'good.yaml'), join(place, 'bad.yaml')];
    expect(await command(goodFile)).toEqual({ code: 0, text: `✓ ${goodFile}: good\n` });
    const both = await command(goodFile, badFile);
    expect(both.code).toBe(1);
    expect(both.text).toContain(`✗ ${badFile}: bad \\x1b[2J\n    ${badFile}:2:`);
    await expect(command(goodFile, join(place, 'none.yaml'))).rejects.toThrow(/none\.yaml:1:1: name: /);
    await expect(command(join(place, 'missing.yaml'))).rejects.toThrow(/missing\.yaml: ENOENT/);
    await expect(command(place)).rejects.toThrow(`${place}: it is not a regular file`);
  });
});

test.skipIf(process.platform === 'win32')('a pipe is refused, for a read of it may never end', async () => {
  await withFiles({}, async (place) => {
    const pipe = join(place, 'pipe.yaml');
    execFileSync('mkfifo', [pipe]);
    await expect(readScenario(pipe)).rejects.toThrow(`${pipe}: it is not a regular file`);
  });
});
