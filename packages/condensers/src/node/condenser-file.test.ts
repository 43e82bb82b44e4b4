import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { importFrom, loadCondenserFile } from './condenser-file.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'condenser-file-'));
  const installed = path.join(folder, 'node_modules/@acme/condenser-x');
  await mkdir(installed, { recursive: true });
  // Only for `import`: what `require` resolves would not be found.
  const manifest = { name: '@acme/condenser-x', type: 'module', exports: { '.': { import: './index.js' } } };
  await writeFile(path.join(installed, 'package.json'), JSON.stringify(manifest));
  await writeFile(
    path.join(installed, 'index.js'),
    'export default ({ keep }) => ({ name: `x ${keep}`, condense: (view) => view });',
  );
});
afterEach(() => rm(folder, { recursive: true }));

const file = async (name: string, text: string): Promise<string> => {
  await writeFile(path.join(folder, name), text);
  return path.join(folder, name);
};

test('a package that is installed beside the file is loaded, from any working directory', async () => {
  const config = await file('condenser.toml', '[condenser]\nuse = "@acme/condenser-x"\noptions = { keep = 7 }\n');

  expect((await loadCondenserFile(config)).name).toBe('x 7');
});

test('JSON is read too, and a pipeline of ours and theirs', async () => {
  const stages = [{ type: 'observationMasking' }, { use: '@acme/condenser-x', options: { keep: 1 } }];
  const config = await file('condenser.json', JSON.stringify({ condenser: { type: 'pipeline', stages } }));

  expect((await loadCondenserFile(config)).name).toBe('pipeline');
});

test('a package that is not installed there is named, with the place in the file', async () => {
  const config = await file('condenser.toml', '[condenser]\nuse = "@acme/missing"\n');

  await expect(loadCondenserFile(config)).rejects.toThrow(/@acme\/missing: 'condenser\.use' cannot be imported/);
});

test('a file that is not there is named', async () => {
  const missing = path.join(folder, 'nowhere.toml');

  await expect(loadCondenserFile(missing)).rejects.toThrow(`configuration: '${missing}' cannot be read: ENOENT`);
});

test('a folder is refused, and so is a pipe, of which a read may never end', async () => {
  const pipe = path.join(folder, 'pipe.toml');
  const refused = [folder];
  if (process.platform !== 'win32') {
    execFileSync('mkfifo', [pipe]);
    refused.push(pipe);
  }
  for (const place of refused)
    await expect(loadCondenserFile(place)).rejects.toThrow(`'${place}' cannot be read: it is not a regular file`);
});

test('a template is read from the folder of the file alone, also when another template includes it', async () => {
  const asking = (prompt: string) =>
    file(
      'condenser.toml',
      `[condenser]\ntype = "llmSummarizing"\nllm = "any"\npromptFile = ${JSON.stringify(prompt)}\n`,
    );
  const options = { llm: () => scriptedLLM({ script: [] }) };
  const outside = path.join(folder, '..', `${path.basename(folder)}.j2`);
  await writeFile(outside, '{{ transcript }}');
  await symlink(outside, path.join(folder, 'link.j2'));
  await file('inside.j2', 'Sum up: {{ transcript }}');
  await file('including.j2', `{% include ${JSON.stringify(outside)} %}`);
  await mkdir(path.join(folder, 'prompts'));
  await file('prompts/below.j2', '{% include "inside.j2" %}');

  expect((await loadCondenserFile(await asking('inside.j2'), options)).name).toBe('llmSummarizing');
  expect((await loadCondenserFile(await asking('prompts/below.j2'), options)).name).toBe('llmSummarizing');
  for (const name of [outside, `../${path.basename(outside)}`, 'link.j2', 'including.j2']) {
    await expect(loadCondenserFile(await asking(name), options), name).rejects.toThrow(/leads out of the folder/);
  }
  await rm(outside);
});

test('packages are found from folders above, as Node finds them', async () => {
  const inner = path.join(folder, 'a/b');
  await mkdir(inner, { recursive: true });

  expect(await importFrom(inner)('@acme/condenser-x')).toHaveProperty('default');
});
