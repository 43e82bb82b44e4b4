import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { NoCondensationAvailableError } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { defineCondenser } from '../authoring/index.js';
import { InvalidCondenserConfigError, loadCondenser } from './index.js';

const made: Condenser = { name: 'x', condense: (view) => view };

describe('a package by name', () => {
  test('its default export is called with the options', async () => {
    const factory = vi.fn((_: unknown) => made);
    const importModule = vi.fn(async (_: string) => ({ default: factory }));
    expect(await loadCondenser({ use: '@acme/condenser-x', options: { keep: 7 } }, { importModule })).toBe(made);
    expect(importModule).toHaveBeenCalledWith('@acme/condenser-x');
    expect(factory).toHaveBeenCalledWith({ keep: 7 });
  });

  test('it may stand in a pipeline, and be given a model', async () => {
    const factory = vi.fn((_: unknown) => made);
    const llm = scriptedLLM({ script: [] });
    await loadCondenser(
      { type: 'pipeline', stages: [{ type: 'noOp' }, { use: 'condenser-x/small', llm: 'small' }] },
      { importModule: async () => ({ default: factory }), llm: () => llm },
    );
    expect(factory).toHaveBeenCalledWith({ llm });
  });

  test('a definition that asks a model has the host’s own where none is named; a function is given none', async () => {
    const own = scriptedLLM({ script: [] });
    const create = vi.fn((..._: unknown[]) => made);
    const asking = defineCondenser({ name: 'x', summary: 'x', options: z.strictObject({}), asksModel: true, create });
    const config = { use: '@acme/condenser-x' };
    await loadCondenser(config, { importModule: async () => ({ default: asking }), defaultLLM: own });
    expect(create).toHaveBeenCalledWith({}, { llm: own });
    const none = loadCondenser(config, { importModule: async () => ({ default: asking }) });
    await expect(none).rejects.toThrow(/@acme\/condenser-x: 'llm' is missing/);
    const factory = vi.fn((_: unknown) => made);
    await loadCondenser(config, { importModule: async () => ({ default: factory }), defaultLLM: own });
    expect(factory).toHaveBeenCalledWith({});
  });

  test.each([
    ['./condenser.js'],
    ['../condenser.js'],
    ['.'],
    ['/workspace/condenser.js'],
    ['C:\\workspace\\condenser.js'],
    ['file:///workspace/condenser.js'],
    ['data:text/javascript,export default 1'],
    ['https://example.com/condenser.js'],
    ['node:fs'],
    ['#internal'],
    ['@acme/../../workspace/condenser'],
    ['condenser-x/../../workspace/condenser.js'],
    ['condenser-x/./y'],
    ['@acme'],
    ['~/condenser'],
    [''],
    [' condenser-x'],
    ['condenser%2fx'],
  ])('%j is no package, and is not imported', async (use) => {
    const importModule = vi.fn(async () => ({ default: () => made }));
    const failed = loadCondenser({ use }, { importModule });
    await expect(failed).rejects.toThrow(InvalidCondenserConfigError);
    await expect(failed).rejects.toThrow(/'use' must be the name of an installed package/);
    expect(importModule).not.toHaveBeenCalled();
  });

  test.each<[string, unknown, RegExp]>([
    [
      'no default export',
      { condenser: () => made, other: 1 },
      /must export by default .* a condenser; it exports: condenser, other/,
    ],
    ['a default export that is no factory', { default: made }, /must export by default/],
    [
      'a factory of something else',
      { default: () => ({ name: 'x' }) },
      /made \{"name":"x"\}, which is not a condenser/,
    ],
    ['a factory of nothing', { default: () => undefined }, /made undefined, which is not a condenser/],
    [
      'a factory that throws',
      {
        default: () => {
          throw new TypeError('keep is not a number');
        },
      },
      /failed to make a condenser: keep is not a number/,
    ],
  ])('%s', async (_, loaded, message) => {
    const failed = loadCondenser({ use: 'condenser-x' }, { importModule: async () => loaded });
    await expect(failed).rejects.toThrow(InvalidCondenserConfigError);
    await expect(failed).rejects.toThrow(message);
  });

  test('an error of ours that the factory throws goes through as it is', async () => {
    const own = new NoCondensationAvailableError('why');
    const importModule = async () => ({ default: () => Promise.reject(own) });
    await expect(loadCondenser({ use: 'condenser-x' }, { importModule })).rejects.toBe(own);
  });

  test('CommonJS that was compiled from a module', async () => {
    const importModule = async () => ({ default: { default: () => made } });
    expect(await loadCondenser({ use: 'condenser-x' }, { importModule })).toBe(made);
  });

  test('options belong into a table of their own', async () => {
    const config = { use: 'condenser-x', maxSize: 3 } as never;
    await expect(loadCondenser(config)).rejects.toThrow(/'maxSize' is not an option beside 'use'.*belong in 'options'/);
  });

  test('a package that is not installed: the import is Node’s own, and the error says what to do', async () => {
    const failed = loadCondenser({ use: '@acme/condenser-that-is-not-installed' });
    await expect(failed).rejects.toThrow(/cannot be imported: .*pass a function as 'importModule'/s);
  });
});

describe('what the host resolves', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'host-'));
    for (const [place, name] of [
      ['host', 'of the host'],
      ['workspace', 'of the workspace'],
    ] as const) {
      const inside = join(folder, place, 'node_modules/@acme/condenser-x');
      await mkdir(inside, { recursive: true });
      await writeFile(join(inside, 'package.json'), '{"type":"module","exports":"./index.js"}');
      await writeFile(
        join(inside, 'index.js'),
        `export default () => ({ name: '${name}', condense: (view) => view });`,
      );
    }
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('a host that passes its own import gets its own package, not the one of the workspace', async () => {
    const require = createRequire(join(folder, 'host/index.js'));
    const importModule = (name: string): Promise<unknown> => import(pathToFileURL(require.resolve(name)).href);
    const before = process.cwd();
    process.chdir(join(folder, 'workspace'));
    try {
      const condenser = await loadCondenser({ use: '@acme/condenser-x' }, { importModule });
      expect(condenser.name).toBe('of the host');
      await expect(loadCondenser({ use: '@acme/condenser-x' })).rejects.toThrow(/cannot be imported/);
    } finally {
      process.chdir(before);
    }
  });
});

describe('a default export that defineCondenser made', () => {
  const definition = defineCondenser({
    name: 'acme',
    summary: 'a condenser of Acme',
    options: z.strictObject({ maxSize: z.int().min(4).default(120) }),
    create: ({ maxSize }) => ({ name: `acme ${maxSize}`, condense: (view) => view }),
  });
  const importModule = async () => ({ default: definition });
  const load = (options: object, llm?: string) =>
    loadCondenser(
      { condenser: { use: '@acme/condenser', options: options as Record<string, unknown>, ...(llm && { llm }) } },
      { importModule, llm: () => scriptedLLM({ script: [] }) },
    );

  test('has its options checked by its schema, and its defaults', async () => {
    expect((await load({})).name).toBe('acme 120');
    await expect(load({ maxsize: 8 })).rejects.toThrow(
      "@acme/condenser: 'condenser.options.maxsize' is not an option. Did you mean 'maxSize'? There are: maxSize.",
    );
  });

  test('is given the model that the configuration names, if it asks one', async () => {
    const asking = defineCondenser({
      name: 'asking',
      summary: 'asks a model',
      options: z.strictObject({}),
      asksModel: true,
      create: (_, { llm }) => ({ name: `asking ${llm.model}`, condense: (view) => view }),
    });
    const llm = scriptedLLM({ script: [] });
    const config = { use: '@acme/condenser', llm: 'small' };
    const condenser = await loadCondenser(config, {
      importModule: async () => ({ default: asking }),
      llm: () => llm,
    });

    expect(condenser.name).toBe(`asking ${llm.model}`);
    await expect(load({ maxSize: 8 }, 'small')).rejects.toThrow(
      "@acme/condenser: 'condenser.llm' is not an option: it asks no model",
    );
  });
});
