import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PromptTemplateError, builtInTemplates, layeredTemplates, loadPrompts } from '../prompts/index.js';
import type { TemplateSource } from '../prompts/index.js';
import { copyBuiltInTemplates, folderTemplates } from './folder-templates.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-templates-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function failure(action: Promise<unknown>): Promise<PromptTemplateError> {
  const error: unknown = await action.catch((thrown: unknown) => thrown);
  if (!PromptTemplateError.isInstance(error)) throw new Error(`no PromptTemplateError: ${String(error)}`);
  return error;
}

test('a copy of the built-in templates renders the same, and can be changed', async () => {
  const written = await copyBuiltInTemplates(folder);
  expect(written).toContain(path.join(folder, 'system_prompt.j2'));
  const own = await loadPrompts({ templates: folderTemplates(folder) });
  expect(own.systemPrompt()).toBe((await loadPrompts()).systemPrompt());

  await writeFile(path.join(folder, 'security.j2'), 'Stay safe.');
  const changed = await loadPrompts({ templates: folderTemplates(folder) });
  expect(changed.systemPrompt()).toContain('Stay safe.');
  expect(await copyBuiltInTemplates(folder)).toEqual([]);
  expect(await readFile(path.join(folder, 'security.j2'), 'utf8')).toBe('Stay safe.');
});

test('one file over the built-in ones is enough', async () => {
  await writeFile(path.join(folder, 'security.j2'), 'Stay safe.');
  const templates = layeredTemplates(folderTemplates(folder), builtInTemplates);
  expect((await loadPrompts({ templates })).systemPrompt()).toMatch(/<ROLE>[\s\S]+Stay safe\./);
});

test('a missing, a broken and an unreadable template are errors that name the file', async () => {
  const templates = folderTemplates(folder);
  const file = path.join(folder, 'system_prompt.j2');
  // All are missing, and the first one's read is the slowest: the error names the first all the same.
  const slow: TemplateSource = {
    ...templates,
    read: async (name) => {
      if (name === 'system_prompt.j2') await setTimeout(20);
      return templates.read(name);
    },
  };
  const missing = await failure(loadPrompts({ templates: slow }));
  expect(missing.file).toBe(file);
  expect(missing.message).toContain('does not exist');

  await copyBuiltInTemplates(folder);
  await writeFile(file, '{% if cli_mode %}never closed');
  const broken = await failure(loadPrompts({ templates }));
  expect(broken.file).toBe(file);
  expect(broken.message).toContain('does not parse');

  await rm(file);
  await mkdir(file);
  const unreadable = await failure(loadPrompts({ templates }));
  expect(unreadable.file).toBe(file);
  expect(unreadable.message).toContain('cannot be read');
});

test('nothing outside of the folder is included', async () => {
  const inner = path.join(folder, 'inner');
  await copyBuiltInTemplates(inner);
  await writeFile(path.join(folder, 'outside.j2'), 'outside');
  await writeFile(path.join(inner, 'user_prompt.j2'), "{% include '../outside.j2' %}");
  expect((await failure(loadPrompts({ templates: folderTemplates(inner) }))).message).toContain(
    'outside of the folder',
  );
});
