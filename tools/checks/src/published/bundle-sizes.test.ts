import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { install } from './pack.js';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'bundle-sizes-'));
  for (const name of ['condensers', 'relevance-tool']) {
    await install(path.join(directory, name), [`@palimpsest/${name}`], inject('everything'));
  }
  await install(
    path.join(directory, 'messages'),
    ['@palimpsest/messages', '@palimpsest/condensers'],
    inject('everything'),
  );
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

interface Bundle {
  /** Minified and gzipped. Unit: kB (1,000 bytes). */
  readonly size: number;
  /** The packages of which something is in it. */
  readonly packages: readonly string[];
}

/** Bundles, for a browser, a program that uses these names of our packages. */
async function bundled(exports: Readonly<Record<string, string>>, project = 'condensers'): Promise<Bundle> {
  const lines = Object.entries(exports).map(([name, names]) => `export { ${names} } from '@palimpsest/${name}';`);
  const { outputFiles, metafile } = await build({
    stdin: { contents: lines.join('\n'), resolveDir: path.join(directory, project) },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => packageOf(file));
  const bytes = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
  return { size: bytes / 1_000, packages: [...new Set(used)].sort() };
}

function packageOf(file: string): string {
  const [first = '', second] = file.split('node_modules/').at(-1)?.split('/') ?? [];
  return first.startsWith('@') ? `${first}/${second}` : first;
}

const base = {
  events: 'createEvent, parseEvent',
  view: 'View, ViewProjection, condensation',
};

it('the view with events is at most 30 kB', async () => {
  const { size, packages } = await bundled(base);

  expect(size).toBeLessThan(30);
  expect(packages).toEqual(['@palimpsest/events', '@palimpsest/view', 'zod']);
});

it.each([
  ['noOpCondenser', 2],
  ['recentEventsCondenser', 8],
  ['observationMaskingCondenser', 10],
])('%s adds at most %d kB, and no template language', async (condenser, limit) => {
  const without = await bundled(base);
  const { size, packages } = await bundled({ ...base, condensers: condenser });

  expect(size - without.size).toBeLessThan(limit);
  expect(packages).not.toContain('@huggingface/jinja');
});

it('a condenser that asks a model adds at most 51 kB, the template language and what reads facts from the log in them', async () => {
  const without = await bundled(base);
  const { size, packages } = await bundled({ ...base, condensers: 'llmSummarizingCondenser' });

  expect(size - without.size).toBeLessThan(51);
  expect(packages).toContain('@huggingface/jinja');
});

it('the relevance tool with its condenser adds at most 16 kB', async () => {
  const without = await bundled(base, 'relevance-tool');
  const { size } = await bundled({ ...base, 'relevance-tool': 'relevanceTool, relevanceCondenser' }, 'relevance-tool');

  expect(size - without.size).toBeLessThan(16);
});

it('a history of chat messages with the priced condenser is at most 103 kB, without the tools of a history', async () => {
  const names = { messages: 'chatMessages, condensedHistory', condensers: 'pricedCondenser' };
  const { size, packages } = await bundled(names, 'messages');

  expect(size).toBeLessThan(103);
  expect(packages).not.toContain('@huggingface/jinja');
});
