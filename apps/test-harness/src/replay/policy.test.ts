import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CondenserNotFoundError, InvalidCondenserConfigError } from '@palimpsest/condensers/config';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textCounter } from '../measure/tokens.js';
import { rivalNames } from '../rivals/rival.js';

import { stubSummarizer } from './stub-summarizer.js';
import { referenceAgentCondenser } from './named-policy.js';
import { parsePolicies, policyDigest, policySourcesIn } from './policy.js';

let folder: string;
const code = join('node_modules/@acme/condenser-x/index.js');
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'policy-argument-'));
  await mkdir(join(folder, 'node_modules/@acme/condenser-x'), { recursive: true });
  const manifest = { name: '@acme/condenser-x', version: '1.0.0', type: 'module', exports: './index.js' };
  await writeFile(join(folder, 'node_modules/@acme/condenser-x/package.json'), JSON.stringify(manifest));
  await writeFile(
    join(folder, code),
    'export default ({ keep }) => ({ name: `x ${keep}`, condense: (view) => view });',
  );
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ['enable_default_condenser = true', referenceAgentCondenser().name],
  ['[core]\nenable_default_condenser = true', referenceAgentCondenser().name],
  ['[core]\nenable_default_condenser = false', 'noOp'],
])('a file that leaves the condenser to its host: %j', async (text, name) => {
  const file = join(folder, 'config.toml');
  await writeFile(file, text);
  const [, policy] = await parsePolicies({ condenser: [], config: [file] });
  expect(policy?.name).toBe(name);
});

const configs = async (argument: string) =>
  (await policySourcesIn(argument, folder)).map(({ name, source }) => [
    name,
    'config' in source ? source.config : undefined,
  ]);

test('a name alone has its defaults', async () => {
  expect(await policySourcesIn('extractiveSummary', folder)).toEqual([
    { name: 'extractiveSummary', source: { kind: 'name', name: 'extractiveSummary' } },
  ]);
});

test('several values of an option are several policies, and several options every combination', async () => {
  expect(await configs('extractiveSummary:maxTokens=20000,40000')).toEqual([
    ['extractiveSummary maxTokens=20000', { type: 'extractiveSummary', maxTokens: 20_000 }],
    ['extractiveSummary maxTokens=40000', { type: 'extractiveSummary', maxTokens: 40_000 }],
  ]);
  expect((await configs('extractiveSummary:maxTokens=1,2;keepFirst=3,4')).map(([name]) => name)).toEqual([
    'extractiveSummary maxTokens=1 keepFirst=3',
    'extractiveSummary maxTokens=1 keepFirst=4',
    'extractiveSummary maxTokens=2 keepFirst=3',
    'extractiveSummary maxTokens=2 keepFirst=4',
  ]);
});

test('values are JSON, a list in brackets is one, dots lead into tables, and what a condenser needs is given', async () => {
  expect(await configs('slidingWindow:a.b=true;c=[1,2];d=words')).toEqual([
    [
      'slidingWindow a.b=true c=[1,2] d=words',
      { type: 'slidingWindow', compactionInterval: 3, overlapSize: 1, a: { b: true }, c: [1, 2], d: 'words' },
    ],
  ]);
});

test('a package is resolved from the folder, with options', async () => {
  const policies = await parsePolicies({ condenser: ['@acme/condenser-x:keep=3,7'], config: [], folder });
  expect(policies.map(({ name }) => name)).toEqual(['none', '@acme/condenser-x keep=3', '@acme/condenser-x keep=7']);
  const { llm } = stubSummarizer(textCounter());
  expect((await policies[2]?.create(llm))?.name).toBe('x 7');
});

test('a condenser that is named as the baseline has a name of its own', async () => {
  const place = join(folder, 'node_modules/@acme/none');
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'package.json'), '{"name":"@acme/none","type":"module","exports":"./index.js"}');
  await writeFile(join(place, 'index.js'), "export default () => ({ name: 'none', condense: (view) => view });");
  const config = join(folder, 'none.toml');
  await writeFile(config, '[condenser]\nuse = "@acme/none"\n');
  const policies = await parsePolicies({ condenser: ['none', 'noOp', 'noOp'], config: [config] });
  expect(policies.map(({ name }) => name)).toEqual(['none', 'noOp', 'none (2)']);
});

test('a condenser of a file is labelled with the options that the file gives it', async () => {
  const label = async (text: string, ...others: string[]): Promise<string | undefined> => {
    const file = join(folder, 'options.toml');
    await writeFile(file, text);
    return (await parsePolicies({ condenser: others, config: [file] })).at(-1)?.name;
  };
  expect(await label('type = "recentEvents"\nmaxSize = 40')).toBe('recentEvents maxSize=40');
  expect(await label('[condenser]\ntype = "recentEvents"\nmax_size = 40', 'recentEvents')).toBe(
    'recentEvents max_size=40',
  );
  expect(await label('type = "recentEvents"', 'recentEvents')).toBe('recentEvents (options.toml)');
  expect(await label('use = "@acme/condenser-x"\noptions = { keep = 3 }')).toBe('x 3 keep=3');
  const stages = '[{ type = "observationMasking", attentionWindow = 9 }, { type = "noOp" }]';
  expect(await label(`type = "pipeline"\nstages = ${stages}`)).toBe(
    'pipeline [observationMasking attentionWindow=9, noOp]',
  );
  const prompt = `modelCall = { prompt = "${'{{ transcript }} in a few words. '.repeat(9)}" }`;
  expect(await label(`type = "llmSummarizing"\n${prompt}`)).toBe(
    'llmSummarizing modelCall.prompt={{ transcript }} in a f…',
  );
});

test('the reference agent’s default is a name', async () => {
  const [, policy] = await parsePolicies({ condenser: ['referenceAgent'], config: [] });
  expect((await policy?.create(stubSummarizer(textCounter()).llm))?.name).toBe('priced');
});

test('rivals are named one by one or all together, and are made', async () => {
  const policies = await parsePolicies({ condenser: ['rivals'], config: [] });
  expect(policies.slice(1).map(({ name }) => name)).toEqual(rivalNames);
  const [, one] = await parsePolicies({ condenser: ['rival:openhands'], config: [] });
  expect((await one?.create(stubSummarizer(textCounter()).llm))?.name).toBe('rival:openhands');
});

test('all of ours if none is named', async () => {
  const names = (await parsePolicies({ condenser: [], config: [] })).map(({ name }) => name);
  expect(names).toContain('extractiveSummary');
  // It is `priced` where no model has marked a result.
  expect(names).not.toContain('referenceAgent');
});

test.each([
  ['extractiveSumary', CondenserNotFoundError, /Did you mean 'extractiveSummary'\?.*Known are: noOp.*referenceAgent/],
  ['rival:opnhands', CondenserNotFoundError, /Did you mean 'rival:openhands'\?/],
  ['@acme/missing', InvalidCondenserConfigError, /'use' cannot be imported.*@acme\/missing/],
  ['./condenser.js', InvalidCondenserConfigError, /must be the name of an installed package/],
  ['extractiveSummary:maxTokens', InvalidCondenserConfigError, /name=value1,value2/],
  ['extractiveSummary:maxTokns=3', InvalidCondenserConfigError, /maxTokns.*maxTokens/],
  ['extractiveSummary:maxTokens=many', InvalidCondenserConfigError, /maxTokens/],
  ['referenceAgent:maxSize=3', InvalidCondenserConfigError, /--config/],
] as const)('%s is refused before anything is read', async (argument, kind, words) => {
  const refused = parsePolicies({ condenser: [argument], config: [], folder });
  await expect(refused).rejects.toThrow(words);
  await expect(refused).rejects.toBeInstanceOf(kind);
});

test('the digest of a policy changes with its options, with its file and with the code of its package', async () => {
  const digestOf = async (argument: string) => {
    const [first] = await policySourcesIn(argument, folder);
    return first && policyDigest(first.source);
  };
  const [one, other] = [await digestOf('@acme/condenser-x:keep=1'), await digestOf('@acme/condenser-x:keep=2')];
  expect(one).toBeDefined();
  expect(other).not.toBe(one);
  await writeFile(join(folder, code), 'export default () => ({ name: "y", condense: (view) => view });');
  expect(await digestOf('@acme/condenser-x:keep=1')).not.toBe(one);

  const file = join(folder, 'condenser.toml');
  await writeFile(file, '[condenser]\nuse = "@acme/condenser-x"\n');
  const before = await policyDigest({ kind: 'file', file });
  expect(before).toBeDefined();
  await writeFile(join(folder, code), 'export default () => ({ name: "z", condense: (view) => view });');
  expect(await policyDigest({ kind: 'file', file })).not.toBe(before);
  // What is in a file beside it is not looked for, so nothing is stored.
  await writeFile(file, '[condenser]\ntype = "llmSummarizing"\nmodelCall = { promptFile = "a.j2" }\n');
  expect(await policyDigest({ kind: 'file', file })).toBeUndefined();
});
