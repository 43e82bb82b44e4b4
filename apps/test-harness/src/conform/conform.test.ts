import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { observationMaskingCondenser, recentEventsCondenser } from '@palimpsest/condensers';
import { logBuilder } from '@palimpsest/events/testing';
import { condenserContract, viewPropertyContract } from '@palimpsest/view/testing';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { jsonLines } from '../../test-support/fixtures/fixture-files.js';
import { capturedOutput } from '../../test-support/harness.js';
import { conformCommand } from '../cli/conform.js';
import type { ConformCommandOptions, ConformReport } from '../cli/conform.js';
import { logToActOn, runContract } from './contract.js';
import type { ContractRun } from './contract.js';

/** Forgets the user's words, although nothing declares that; keeps what it was given in place. */
const forgetful = `(view) => view.events.length > 40 ? view.without(new Set([...view.events].slice(0, 10).map(({ id }) => id))) : view`;
const still = '(view) => view';
const packages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '@acme/forgetful': {
    'package.json': '{"name":"@acme/forgetful","type":"module","exports":"./index.js"}',
    'index.js': `export default () => ({ name: 'forget\\u001b[2Jful', condense: ${forgetful} });`,
  },
  '@acme/several': {
    'package.json': '{"name":"@acme/several","exports":"./index.js"}',
    // As a compiler writes a module for CommonJS.
    'index.js': `
      const define = (name) => ({ name, summary: name, options: { _zod: {} }, asksModel: false, create: (options) => {
        if (options.size === 0) throw new TypeError('size must not be 0');
        return { name, condense: ${still} };
      } });
      Object.defineProperty(exports, '__esModule', { value: true });
      exports.default = define('one');
      exports.two = define('two');
      exports.approvals = (event) => event.type === 'message' && event.source === 'environment' ? 'notes' : undefined;`,
  },
  '@acme/plain': {
    'package.json': '{"name":"@acme/plain","type":"module","exports":"./index.js"}',
    'index.js': `export const first = { name: 'first', condense: ${still} }; export default { name: 'second', condense: ${still} };`,
  },
  '@acme/plain-commonjs': {
    'package.json': '{"name":"@acme/plain-commonjs","exports":"./index.js"}',
    'index.js': `module.exports = { name: 'third', condense: ${still} };`,
  },
  '@acme/nothing': {
    'package.json': '{"name":"@acme/nothing","type":"module","exports":"./index.js"}',
    'index.js': 'export const version = 1;',
  },
};

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-conform-'));
  for (const [name, files] of Object.entries(packages)) {
    const place = join(folder, 'node_modules', name);
    await mkdir(place, { recursive: true });
    for (const [file, text] of Object.entries(files)) await writeFile(join(place, file), text);
  }
});

// Mocks are restored behind each test.
beforeEach(() => void vi.spyOn(process, 'cwd').mockReturnValue(folder));

afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function conform(
  name: string,
  options: Partial<ConformCommandOptions> = {},
): Promise<{ readonly code: number; readonly text: string }> {
  const { output, text } = capturedOutput();
  const all = { property: [], log: [], timeout: 60, json: false, seeds: [1], ...options };
  return { code: await conformCommand(name, all, output), text: text() };
}

const quiet: ContractRun = { seeds: [1], rule: undefined, timeoutMs: 60_000, onRule: () => undefined };

test('condensers of ours keep every rule', async () => {
  for (const create of [() => recentEventsCondenser({ maxSize: 30 }), () => observationMaskingCondenser()]) {
    const actsOn = await logToActOn(create, {});
    const results = await runContract((host) => condenserContract({ create, actsOn, ...host }), quiet);
    expect(results.length).toBeGreaterThan(15);
    expect(results.filter(({ passed }) => !passed)).toEqual([]);
  }
});

test('a package that breaks rules: each with a counterexample, and a command that repeats it', async () => {
  const { code, text } = await conform('@acme/forgetful');
  expect(code).toBe(1);
  expect(text).toContain("@acme/forgetful default: condenser 'forget\\x1b[2Jful'");
  expect(text).toMatch(/✓ +1 {2}returns a view or a condensation/);
  expect(text).toMatch(/✗ +4 {2}keeps protected events[^\n]*\n +on [^\n]*forgot protected events: /);
  const [, repeat] = /✗ +4 .*\n.*\n +repeat: palimpsest-harness conform (.*)/.exec(text) ?? [];
  expect(repeat).toBe('@acme/forgetful --export default --rule 4 --seeds 1');
  const again = await conform('@acme/forgetful', { export: 'default', rule: 4, json: true });
  const { reports } = JSON.parse(again.text) as { readonly reports: readonly ConformReport[] };
  expect(again.code).toBe(1);
  expect(reports[0]?.rules).toMatchObject([{ number: 4, passed: false }]);
  expect(reports[0]?.rules[0]?.counterexample).toContain('forgot protected events');
});

test('every condenser of a package is tested, by name or by the path of its folder', async () => {
  const byName = await conform('@acme/several', { rule: 17 });
  expect(byName.text).toContain('@acme/several default: condenser ');
  expect(byName.text).toContain('@acme/several two: condenser ');
  expect(byName.code).toBe(0);
  const byFolder = await conform('./node_modules/@acme/several', { rule: 17, export: 'two' });
  expect(byFolder.text).not.toContain('default');
  expect(byFolder.code).toBe(0);
});

test('a condenser itself can be exported, by any name', async () => {
  const { code, text } = await conform('@acme/plain', { rule: 17 });
  expect(text).toContain("@acme/plain first: condenser 'first'");
  expect(text).toContain("@acme/plain default: condenser 'second'");
  expect(code).toBe(0);
  expect((await conform('@acme/plain-commonjs', { rule: 17 })).text).toContain("default: condenser 'third'");
  await expect(conform('@acme/plain', { export: 'first', options: '{"size":1}' })).rejects.toThrow(
    "The export 'first' cannot take the option 'size', because it is a finished condenser. Leave out --options",
  );
});

test('a condenser must act on the logs that are given', async () => {
  const log = logBuilder();
  log.user('Look.');
  for (let step = 0; step < 30; step++) log.call('read', { step }, 'text');
  await writeFile(join(folder, 'log.jsonl'), jsonLines(log.events));
  const given = { log: [join(folder, 'log.jsonl')], rule: 10 };
  expect((await conform('@acme/several', { ...given, export: 'default' })).code).toBe(1);
  expect((await conform('@acme/forgetful', given)).code).toBe(0);
});

test('a view property is tested on logs in which it names runs', async () => {
  const log = logBuilder();
  log.user('Look.');
  log.environment('one');
  log.environment('two');
  log.agent('Seen.');
  await writeFile(join(folder, 'notes.jsonl'), jsonLines(log.events));
  const given = { property: ['approvals'], log: [join(folder, 'notes.jsonl')] };
  const { code, text } = await conform('@acme/several', given);
  expect(text).toContain('@acme/several approvals: view property');
  expect(text).toMatch(/✓ +1 {2}gives an event the same key each time/);
  expect(text).toContain('5 rules kept, 0 broken');
  expect(code).toBe(0);
  const logs = [{ name: 'notes', events: log.events }];
  const unnamed = await runContract(
    (host) => viewPropertyContract({ property: () => undefined, logs, ...host }),
    quiet,
  );
  expect(unnamed.filter(({ passed }) => !passed).map(({ number }) => number)).toEqual([2]);
});

test('a rule that does not end is broken', async () => {
  const create = () => ({ name: 'slow', condense: () => new Promise<never>(() => undefined) });
  const once = { ...quiet, rule: 1, timeoutMs: 20 };
  const [result] = await runContract((host) => condenserContract({ create, actsOn: [], ...host }), once);
  expect(result).toMatchObject({ passed: false, counterexample: 'the rule did not end within 20 ms' });
});

test.each([
  ['@acme/missing', {}, /'@acme\/missing' cannot be imported/],
  ['@acme/nothing', {}, /exports no condenser/],
  ['@acme/several', { options: '{}' }, /several condensers \(default, two\)/],
  ['@acme/several', { export: 'three' }, /no condenser 'three'\. Condensers are: default, two/],
  ['@acme/several', { export: 'two', options: '{"size":0}' }, /size must not be 0/],
  ['@acme/several', { property: ['version'] }, /no function 'version'/],
  ['@acme/forgetful', { options: '{' }, /--options is not JSON/],
  ['@acme/forgetful', { options: '[]' }, /must be a JSON object/],
  ['@acme/forgetful', { rule: 99 }, /no rule 99/],
  ['./nowhere', {}, /package\.json' cannot be read/],
] as const)('%s with %j is bad input', async (name, options, message) => {
  await expect(conform(name, options)).rejects.toThrow(message);
});
