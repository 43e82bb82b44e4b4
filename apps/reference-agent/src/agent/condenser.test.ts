import { CondenserNotFoundError, InvalidCondenserConfigError } from '@palimpsest/condensers/config';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test-support/folders.js';
import { defaultCondenser, settingsCondenser } from './condenser.js';

const given = { llm: scriptedLLM({ script: [] }), env: {} };

test('without settings: the default', async () => {
  const { condenser } = await settingsCondenser({}, given);
  expect(condenser.name).toBe(defaultCondenser().name);
  expect(condenser.stages?.map(({ name }) => name)).toEqual(['relevance', 'digest']);
});

test('only a preset: the default with that preset', async () => {
  const { condenser } = await settingsCondenser({ condenser: { preset: 'cheapest' } }, given);
  expect(condenser.name).toBe(defaultCondenser().name);
  await expect(settingsCondenser({ condenser: { preset: 'cheap' } }, given)).rejects.toThrow(/cheapest/);
});

test('the default is switched off: nothing condenses, unless the settings say what does', async () => {
  const off = { enableDefaultCondenser: false };
  const named = async (condenser?: Record<string, unknown>) =>
    (await settingsCondenser({ ...off, condenser }, given)).condenser.name;
  expect(await named()).toBe('noOp');
  expect(await named({})).toBe('noOp');
  expect(await named({ type: 'recentEvents' })).toBe('recentEvents');
  expect(await named({ preset: 'cheapest' })).toBe(defaultCondenser().name);
});

test('one of ours, a pipeline, and one that asks the model of summaries', async () => {
  const named = async (condenser: Record<string, unknown>) =>
    (await settingsCondenser({ condenser }, given)).condenser.name;
  expect(await named({ type: 'recentEvents', maxSize: 10 })).toBe('recentEvents');
  expect(await named({ type: 'llmSummarizing' })).toBe('llmSummarizing');
  expect(await named({ type: 'pipeline', stages: [{ type: 'observationMasking' }, { type: 'llmSummarizing' }] })).toBe(
    'pipeline',
  );
  await expect(named({ type: 'recent' })).resolves.toBe('recentEvents');
  await expect(named({ type: 'nonsense' })).rejects.toThrow(CondenserNotFoundError);
  await expect(named({ type: 'recentEvents', maxsize: 'x' })).rejects.toThrow(InvalidCondenserConfigError);
});

test('a package and a prompt are found from the folder of the file that names them', async () => {
  const installed = 'node_modules/@acme/condenser';
  const folder = await temporaryFolder({
    [`${installed}/package.json`]: '{"name":"@acme/condenser","type":"module","exports":"./index.js"}',
    [`${installed}/index.js`]:
      'export default (options) => ({ name: `acme ${options.size}`, condense: (view) => view });',
  });
  const condenser = { use: '@acme/condenser', options: { size: 3 } };
  const made = await settingsCondenser({ condenser, condenserFolder: folder }, given);
  expect(made.condenser.name).toBe('acme 3');
  await expect(settingsCondenser({ condenser: { use: '../evil' }, condenserFolder: folder }, given)).rejects.toThrow(
    'code is not loaded from a path',
  );
  const prompt = { type: 'llmSummarizing', modelCall: { promptFile: '../../../etc/passwd' } };

  await expect(settingsCondenser({ condenser: prompt, condenserFolder: folder }, given)).rejects.toThrow(
    InvalidCondenserConfigError,
  );
});
