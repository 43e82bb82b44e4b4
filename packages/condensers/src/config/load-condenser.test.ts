import { readFile } from 'node:fs/promises';
import { logBuilder } from '@palimpsest/events/testing';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { isCondensation, View } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { describe, expect, test, vi } from 'vitest';
import { CondenserNotFoundError, InvalidCondenserConfigError, loadCondenser, loadCondenserConfig } from './index.js';
import type { CondenserConfigDocument } from './load-condenser.js';
import { ownCondensers } from './own-condensers.js';

const models = { small: scriptedLLM({ script: () => 'SUMMARY', model: 'small-1' }) };
const host = { llm: (name: string) => (models as Record<string, (typeof models)['small'] | undefined>)[name] };

/** A configuration that types would not let through. */
const load = (config: unknown, options: Parameters<typeof loadCondenser>[1] = host) =>
  loadCondenser(config as CondenserConfigDocument, options);

function session(steps: number) {
  const log = logBuilder();
  log.system();
  log.user('Fix the parser.');
  for (let step = 0; step < steps; step++) log.call('read', { path: `file-${step}` }, `line ${step}\n`.repeat(40));
  return View.fromEvents(log.events);
}

async function messageOf(config: unknown, options?: Parameters<typeof loadCondenser>[1]): Promise<string> {
  try {
    await load(config, options ?? host);
  } catch (error) {
    if (CondenserNotFoundError.isInstance(error) || InvalidCondenserConfigError.isInstance(error)) return error.message;
    throw error;
  }
  throw new Error('nothing was wrong');
}

describe('an object', () => {
  test('every condenser can be configured, by the name that it has in code', async () => {
    for (const [type, { asksModel }] of ownCondensers) {
      if (type === 'pipeline') continue;
      const needs = asksModel ? { llm: 'small' } : {};
      const pair = type === 'slidingWindow' ? { compactionInterval: 3, overlapSize: 1 } : {};
      expect((await load({ type, ...needs, ...pair })).name).toBe(type);
    }
  });

  test('options get through to the condenser', async () => {
    const condenser = await load({ type: 'llmSummarizing', llm: 'small', maxSize: 20, keepFirst: 2 });
    const result = await condenser.condense(session(10), { report: () => {} });
    expect(isCondensation(result) && result.metadata).toMatchObject({ condenser: 'llmSummarizing', model: 'small-1' });
    const later = await load({ type: 'llmSummarizing', llm: 'small', maxSize: 22 });
    expect(isCondensation(await later.condense(session(10), { report: () => {} }))).toBe(false);
  });

  test('an option that is undefined is not there', async () => {
    expect((await load({ type: 'recentEvents', maxSize: undefined })).name).toBe('recentEvents');
  });

  test('background stands in a configuration too', async () => {
    const condenser = await load({ type: 'llmSummarizing', llm: 'small', maxSize: 20, background: true });
    const view = session(12);
    expect(await condenser.condense(view, { report: () => {} })).toBe(view);
  });

  test('priced, with a preset and with stages', async () => {
    expect((await loadCondenser({ type: 'priced', preset: 'cheapest' })).name).toBe('priced');
    const condenser = await loadCondenser({
      type: 'priced',
      tolerance: 0.05,
      stages: [{ type: 'observationMasking' }, { type: 'extractiveSummary', targetTokens: 20_000 }],
    });
    expect(condenser.name).toBe('priced');
    const both = await loadCondenser({ type: 'priced', preset: 'cheapest', stages: [{ type: 'noOp' }] });
    expect(both.stages?.map(({ name }) => name)).toEqual(['noOp', 'digest']);
  });

  test('pipelines within pipelines', async () => {
    const condenser = await load({
      type: 'pipeline',
      stages: [
        { type: 'observationMasking' },
        { type: 'pipeline', stages: [{ type: 'llmSummarizing', llm: 'small', maxSize: 20 }] },
      ],
    });
    const result = await condenser.condense(session(12), { report: () => {} });
    expect(isCondensation(result) && result.metadata?.['stage']).toBe('pipeline/llmSummarizing');
  });

  test('a value that holds itself can be named in a message', async () => {
    const endless: Record<string, unknown> = {};
    endless['self'] = endless;
    expect(await messageOf({ type: 'recentEvents', maxSize: endless })).toMatch(/'maxSize' must be.*, not object/);
  });

  test('a list that contains itself ends in an error', async () => {
    const endless: Record<string, unknown> = { type: 'pipeline' };
    endless['stages'] = [endless];
    expect(await messageOf(endless)).toContain('more than 16 pipelines');
  });
});

describe('text', () => {
  test('JSON', async () => {
    expect((await load(' {"type": "recentEvents", "maxSize": 30}')).name).toBe('recentEvents');
  });

  test('TOML, with a section for the condenser beside one for models', async () => {
    const condenser = await load(`
      # Who writes summaries
      [llm.small]
      model = "small-1"

      [condenser]
      type = "pipeline"
      [[condenser.stages]]
      type = "observationMasking"
      attentionWindow = 12
      [[condenser.stages]]
      type = "llmSummarizing"
      llm = "small"
      maxSize = 80
      modelCall = { minProgress = 0.2 }
    `);
    expect(condenser.name).toBe('pipeline');
  });

  test.each([
    ['{"type": "noOp"', /'config' is not JSON/],
    ['type = noOp', /'config' is not TOML at line 1, column \d+/],
    ['[condenser]\ntype = "noOp"\ntype = "pipeline"', /is not TOML at line 3/],
    ['[1, 2]', /'config' is not known|is not TOML/],
  ])('%j says where it cannot be read', async (text, message) => {
    expect(await messageOf(text)).toMatch(message);
  });
});

describe('what is wrong is said, with its place', () => {
  test.each<[string, unknown, RegExp]>([
    [
      'an unknown type',
      { type: 'llmSumarizing' },
      /'type': There is no condenser 'llmSumarizing'\. Did you mean 'llmSummarizing'\? Known are: noOp,/,
    ],
    [
      'a type of another system',
      { condenser: { type: 'amortize' } },
      /'condenser.type'.*Did you mean 'amortizedForgetting'/,
    ],
    ['a type that is no own name', { type: 'constructor' }, /There is no condenser 'constructor'/],
    ['a type that is no text', { type: 7 }, /'type' must be the name of a condenser, not 7/],
    ['no type', { condenser: { maxSize: 5 } }, /'condenser.type' is missing/],
    [
      'an unknown option',
      { type: 'recentEvents', maxevents: 5 },
      /recentEvents: 'maxevents' is not an option\. Did you mean 'maxSize'\? There are: keepFirst, maxSize/,
    ],
    [
      'an option of another system, written as nobody does',
      { type: 'llmSummarizing', llm: 'small', maxEventLength: 5 },
      /Did you mean 'modelCall.maxEventCharacters'/,
    ],
    [
      'an option under two names',
      { type: 'recentEvents', maxSize: 5, max_events: 6 },
      /recentEvents: 'max_events' says the same as 'maxSize': give one of them/,
    ],
    ['a placeholder that is blank', { type: 'observationMasking', placeholder: ' ' }, /'placeholder' must be text/],
    ['any option where there are none', { type: 'noOp', maxSize: 3 }, /'maxSize' is not an option\. There are none/],
    [
      'a text for a number',
      { type: 'recentEvents', maxSize: 'many' },
      /recentEvents: 'maxSize' must be a whole number of at least 1, not "many"/,
    ],
    ['a fraction', { type: 'recentEvents', maxSize: 1.5 }, /'maxSize' must be a whole number of at least 1, not 1.5/],
    [
      'out of range',
      { type: 'observationMasking', minSavedTokens: 0 },
      /'minSavedTokens' must be a whole number of at least 1, not 0/,
    ],
    [
      'a text for a flag',
      { type: 'observationMasking', maskArguments: 'yes' },
      /'maskArguments' must be true or false, not "yes"/,
    ],
    [
      'two options that contradict each other',
      { type: 'extractiveSummary', maxSize: 20, keepFirst: 9 },
      /extractiveSummary: 'keepFirst' may be at most 8/,
    ],
    [
      'half of a pair',
      { type: 'slidingWindow', llm: 'small', compactionInterval: 3 },
      /slidingWindow: 'overlapSize' is missing/,
    ],
    [
      'a broken template',
      { type: 'llmSummarizing', llm: 'small', prompt: '{% if %}' },
      /llmSummarizing: 'modelCall.prompt' is not a Jinja template/,
    ],
    [
      'several things at once',
      { type: 'recentEvents', maxSize: 0, keepfirst: 1 },
      /'maxSize' must be[^]*\n.*'keepfirst' is not an option\. Did you mean 'keepFirst'/,
    ],
    [
      'no model',
      { type: 'llmSummarizing' },
      /llmSummarizing: 'llm' is missing: name a model here, or pass one as 'defaultLLM'/,
    ],
    [
      'an unknown model',
      { type: 'llmAttention', llm: 'huge' },
      /llmAttention: 'llm' names the model 'huge', which the 'llm' function of the program does not know/,
    ],
    [
      'a place in a pipeline',
      { condenser: { type: 'pipeline', stages: [{ type: 'noOp' }, { type: 'recentEvents', keepFirst: -1 }] } },
      /'condenser.stages\[1\].keepFirst' must be a whole number of at least 0, not -1/,
    ],
    [
      'a stage that is a name',
      { type: 'pipeline', stages: ['noOp'] },
      /'stages\[0\]' must describe a condenser.*not "noOp"/,
    ],
    [
      'a place in the stages of priced',
      { condenser: { type: 'priced', stages: [{ type: 'recentEvents', keepFirst: -1 }] } },
      /condenser\.stages\[0\]/,
    ],
    ['priced with an unknown preset', { type: 'priced', preset: 'dearest' }, /must be one of balanced/],
    ['priced with an unknown option', { type: 'priced', stages: [{ type: 'noOp' }], stage: [] }, /stage/],
    ['a pipeline without stages', { type: 'pipeline' }, /pipeline: 'stages' is missing/],
    [
      'a pipeline of no stages',
      { condenser: { type: 'pipeline', stages: [] } },
      /pipeline: 'condenser.stages' is an empty list, which does nothing/,
    ],
    [
      'a pipeline whose stages have the wrong name',
      { type: 'pipeline', stage: [] },
      /'stage' is not an option\. Did you mean 'stages'/,
    ],
    ['both ways of naming', { type: 'noOp', use: 'x' }, /'use' does not go with 'type'/],
    [
      'a section that nobody reads',
      { condensor: { type: 'noOp' } },
      /configuration: 'condensor' is not known\. Did you mean 'condenser'/,
    ],
    ['a list', [{ type: 'noOp' }], /must be an object, JSON text or TOML text/],
    [
      'a flag that is none',
      { enableDefaultCondenser: 'no' },
      /'enableDefaultCondenser' must be true or false, not "no"/,
    ],
    [
      'a prompt twice',
      { type: 'llmSummarizing', llm: 'small', prompt: 'x', promptFile: 'y' },
      /'modelCall.promptFile' does not go with 'prompt'/,
    ],
    [
      'a prompt that nobody reads',
      { type: 'llmSummarizing', llm: 'small', promptFile: 'y' },
      /the program passed no 'readPrompt'/,
    ],
  ])('%s', async (_, config, message) => {
    expect(await messageOf(config)).toMatch(message);
  });

  test('a host without models, and one whose model cannot be made', async () => {
    const config = { type: 'llmSummarizing', llm: 'small' };
    expect(await messageOf(config, {})).toMatch(/the program passed no 'llm' function/);
    const failing = { llm: () => Promise.reject(new Error('no key')) };
    expect(await messageOf(config, failing)).toMatch(/'small', which could not be created: no key/);
    const own = { defaultLLM: () => Promise.reject(new Error('no key')) };
    expect(await messageOf({ type: 'llmSummarizing' }, own)).toMatch(
      /default model \('defaultLLM'\) could not be created: no key/,
    );
  });
});

describe('a condenser that needs a model and names none', () => {
  const own = scriptedLLM({ script: () => 'SUMMARY', model: 'the-agents-own' });
  const modelOf = async (config: unknown, options: Parameters<typeof loadCondenser>[1]) => {
    const result = await (await load(config, options)).condense(session(12), { report: () => {} });
    return isCondensation(result) ? result.metadata?.['model'] : undefined;
  };

  test('has the host’s own; one that names a model has that', async () => {
    const options = { ...host, defaultLLM: own };
    expect(await modelOf({ type: 'llmSummarizing', maxSize: 20 }, options)).toBe('the-agents-own');
    expect(await modelOf({ type: 'llmSummarizing', maxSize: 20, llm: 'small' }, options)).toBe('small-1');
    const stages = [{ type: 'noOp' }, { type: 'llmSummarizing', maxSize: 20 }];
    expect(await modelOf({ type: 'pipeline', stages }, { defaultLLM: () => own })).toBe('the-agents-own');
  });

  test('it is made only when it is needed', async () => {
    const defaultLLM = vi.fn(() => own);
    await load({ type: 'observationMasking' }, { defaultLLM });
    await load({ type: 'llmAttention', llm: 'small' }, { ...host, defaultLLM });
    expect(defaultLLM).not.toHaveBeenCalled();
  });

  test('the interval and the overlap are enough for a sliding window', async () => {
    for (const names of [
      ['compactionInterval', 'overlapSize'],
      ['compaction_interval', 'overlap_size'],
    ] as const) {
      const condenser = await load({ type: 'slidingWindow', [names[0]]: 3, [names[1]]: 1 }, { defaultLLM: own });
      expect(condenser.name).toBe('slidingWindow');
    }
  });
});

describe('names of OpenHands V0', () => {
  const read = async (config: unknown) => {
    const { condenser, notes } = await loadCondenserConfig(config as CondenserConfigDocument, {
      ...host,
      defaultLLM: models.small,
    });
    return { condenser, notes: notes.map(({ path, message }) => `${path}: ${message}`) };
  };

  test('our own names need no note', async () => {
    expect((await read({ type: 'recentEvents', maxSize: 9 })).notes).toEqual([]);
  });

  test('a type and its options, with a note of each', async () => {
    const { condenser, notes } = await read(`
      [condenser]
      type = "llm"
      llm_config = "small"
      keep_first = 2
      max_event_length = 500
    `);
    expect(condenser.name).toBe('llmSummarizing');
    expect(notes).toEqual([
      "condenser.llm_config: 'condenser.llm_config' is read as 'llm'.",
      "condenser.keep_first: 'condenser.keep_first' is read as 'keepFirst'.",
      "condenser.max_event_length: 'condenser.max_event_length' is read as 'modelCall.maxEventCharacters'.",
      "condenser.type: The type 'llm' is read as 'llmSummarizing', with the defaults that it has there: maxSize = 100.",
    ]);
    // 104 events: more than V0's 100, fewer than our 120.
    const result = await condenser.condense(session(51), { report: () => {} });
    expect(isCondensation(result) && result.metadata).toMatchObject({ model: 'small-1' });
  });

  test.each([
    ['noop', 'noOp'],
    ['observation_masking', 'observationMasking'],
    ['browser_output_masking', 'browserOutput'],
    ['recent', 'recentEvents'],
    ['llm', 'llmSummarizing'],
    ['amortized', 'amortizedForgetting'],
    ['llm_attention', 'llmAttention'],
    ['structured', 'structuredSummary'],
    ['conversation_window', 'conversationWindow'],
  ])('%s', async (type, name) => {
    const { condenser, notes } = await read({ type });
    expect(condenser.name).toBe(name);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain(`The type '${type}' is read as '${name}'`);
  });

  test('a pipeline with its condensers', async () => {
    const { condenser, notes } = await read({
      type: 'pipeline',
      condensers: [{ type: 'observation_masking', attention_window: 3 }, { type: 'recent' }],
    });
    expect(condenser.name).toBe('pipeline');
    expect(notes.map((note) => note.slice(0, note.indexOf(':')))).toEqual([
      'condensers',
      'stages[0].attention_window',
      'stages[0].type',
      'stages[1].type',
    ]);
  });

  test('what is masked there reads <MASKED>', async () => {
    const { condenser } = await read({ type: 'observation_masking', attention_window: 3 });
    const events = [...session(300).events];
    const result = await condenser.condense(View.fromEvents(events), { report: () => {} });
    if (!isCondensation(result)) throw new Error('nothing was masked');
    expect(new Set(result.redactions?.map(({ text }) => text))).toEqual(new Set(['<MASKED>']));
  });
});

describe('the default condenser', () => {
  const own: Condenser = { name: 'the default of the host', condense: (view) => view };
  const withDefault = { ...host, defaultCondenser: own };

  test.each<[string, unknown, string]>([
    ['nothing', undefined, own.name],
    ['an empty document', '', own.name],
    ['the flag', { enableDefaultCondenser: true }, own.name],
    ['the flag, as seed files write it', 'enable_default_condenser = true', own.name],
    ['the flag where V0 has it', '[core]\nworkspace_base = "."\nenable_default_condenser = true', own.name],
    ['the flag switched off where V0 has it', '[core]\nenable_default_condenser = false\n[llm]', 'noOp'],
    ['the flag switched off', { enableDefaultCondenser: false }, 'noOp'],
    [
      'a condenser that is named, whatever the flag',
      { enableDefaultCondenser: false, condenser: { type: 'recentEvents' } },
      'recentEvents',
    ],
    [
      'a condenser that is named, and the flag',
      { enableDefaultCondenser: true, condenser: { type: 'recentEvents' } },
      'recentEvents',
    ],
  ])('%s', async (_, config, name) => {
    expect((await load(config, withDefault)).name).toBe(name);
  });

  test('it is made only when it is wanted', async () => {
    const defaultCondenser = vi.fn(async () => own);
    await load({ type: 'noOp' }, { defaultCondenser });
    await load({ enableDefaultCondenser: false }, { defaultCondenser });
    expect(defaultCondenser).not.toHaveBeenCalled();
    expect(await load({}, { defaultCondenser })).toBe(own);
  });

  test('a host that has none is never given a silent noOp', async () => {
    expect(await messageOf({})).toMatch(/'condenser' is missing, and the program has no default/);
    expect(await messageOf({ enableDefaultCondenser: true })).toMatch(/the program has no default/);
  });

  test('the flag said twice is an error', async () => {
    expect(await messageOf({ enableDefaultCondenser: true, enable_default_condenser: false })).toMatch(
      /give one of them/,
    );
    const both = { enableDefaultCondenser: true, core: { enable_default_condenser: true } };
    expect(await messageOf(both)).toMatch(/'core.enable_default_condenser' says the same as 'enableDefaultCondenser'/);
  });

  test('a section core that is none, and a misspelt flag in it, are errors', async () => {
    expect(await messageOf({ core: true })).toMatch(/'core' must be a table, not true/);
    expect(await messageOf({ core: { enable_default_condenser: 'no' } })).toMatch(
      /'core.enable_default_condenser' must be true or false, not "no"/,
    );
    expect(await messageOf({ core: { enable_default_condensers: false } })).toMatch(
      /'core.enable_default_condensers' is not known\. Did you mean 'enable/,
    );
  });
});

describe('prompts', () => {
  test('promptFile is read by the host', async () => {
    const readPrompt = vi.fn(async () => 'Sum up: {% for event in events %}{{ event.text }}{% endfor %}');
    const condenser = await load(
      { type: 'llmSummarizing', llm: 'small', maxSize: 20, promptFile: 'prompts/summary.j2' },
      { ...host, readPrompt },
    );
    await condenser.condense(session(12), { report: () => {} });
    expect(readPrompt).toHaveBeenCalledWith('prompts/summary.j2');
    expect(JSON.stringify(models.small.requests.at(-1)?.messages)).toContain('Sum up: ');
  });

  test('what the file includes is read by the host too, and an error names the file that is wrong', async () => {
    const files = new Map([
      ['summary.j2', "{% include 'rules.j2' %}{{ transcript }}"],
      ['rules.j2', 'In {{ max_words }} words: '],
    ]);
    const readPrompt = (file: string) => files.get(file) ?? Promise.reject(new Error('ENOENT'));
    const config = { type: 'llmSummarizing', llm: 'small', maxSize: 20, promptFile: 'summary.j2' };
    const condenser = await load(config, { ...host, readPrompt });
    await condenser.condense(session(12), {});
    expect(JSON.stringify(models.small.requests.at(-1)?.messages)).toMatch(/In \d+ words: <event/);

    files.set('rules.j2', '\n{% if %}');
    expect(await messageOf(config, { ...host, readPrompt })).toMatch(
      /'modelCall.promptFile' 'rules.j2', line 2, does not parse/,
    );
    files.delete('rules.j2');
    expect(await messageOf(config, { ...host, readPrompt })).toContain("'rules.j2' could not be read: ENOENT");
  });

  test('a file that is not there', async () => {
    const readPrompt = () => Promise.reject(new Error('ENOENT'));
    const config = { type: 'slidingWindow', llm: 'small', promptFile: 'x.j2', compactionInterval: 1, overlapSize: 0 };
    expect(await messageOf(config, { ...host, readPrompt })).toMatch(
      /'modelCall.promptFile' 'x.j2' could not be read: ENOENT/,
    );
  });
});

test('the configuration of the README loads', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const toml = /```toml\n([^]*?)```/.exec(readme)?.[1] ?? '';
  expect(toml).toContain('[condenser]');
  const readPrompt = () => '{{ events }}';
  expect((await load(toml, { ...host, readPrompt })).name).toBe('pipeline');
});
