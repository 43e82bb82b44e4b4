import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { openaiServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeBlocks, isForNode22 } from '../../../tools/checks/src/published/code-blocks.js';

// The programs of pages and examples that need Node 22, run as pasted. Those of examples are type-checked with these tests.
const here = path.join(import.meta.dirname, '..');
const examples = path.join(here, '../../examples/node22');

const blocks = codeBlocks().filter((block) => block.language === 'ts' && isForNode22(block));
const files = await readdir(examples);

let folder: string;
let server: ProviderServer;

beforeAll(async () => {
  folder = await mkdtemp(path.join(here, 'pasted-'));
  server = await openaiServer({
    reply: (body, index) => {
      const isAsked = JSON.stringify(body).includes('README.md') && index % 4 !== 3;
      if (!isAsked) return { message: { role: 'assistant', content: 'Hello.' } };
      const call = { name: 'read', arguments: JSON.stringify({ path: 'package.json' }) };
      const calls = [{ id: `call_${index}`, type: 'function', function: call }];
      return { message: { role: 'assistant', content: null, tool_calls: calls } };
    },
  });
});

afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function printed(name: string, code: string, { baseURL } = server): Promise<string> {
  const file = path.join(folder, `${name.replaceAll(/[^a-z0-9]+/gi, '-')}.mjs`);
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  await writeFile(file, ts.transpileModule(code, { compilerOptions }).outputText);
  const env = {
    ...process.env,
    FORCE_COLOR: '0',
    OPENAI_BASE_URL: baseURL,
    OPENAI_API_KEY: 'a-key',
    OPENAI_AGENTS_DISABLE_TRACING: '1',
    MASTRA_TELEMETRY_DISABLED: '1',
  };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: here, env });
  return stdout;
}

it.each(blocks.map((block) => [`${block.page}:${block.line}`, block.code] as const))('%s', async (title, code) => {
  const promised = [...code.matchAll(/\/\/ prints (.*)$/gm)].map(([, text]) => text);
  expect((await printed(title, code)).trim().split('\n')).toEqual(promised);
});

it.each(files)('examples/node22/%s', async (name) => {
  const code = await readFile(path.join(examples, name), 'utf8');
  expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  expect(await printed(name, code)).toBe('Hello.\n');
});

it.each(files)('examples/node22/%s goes on after a refusal of what is too long', async (name) => {
  const contextWindow = 4000;
  const small = await openaiServer({
    contextWindow,
    reply: (_body, index) => {
      if (index >= 40) return { message: { role: 'assistant', content: 'Hello.' } };
      const call = { name: 'read', arguments: JSON.stringify({ path: 'package.json' }) };
      const calls = [{ id: `call_${index}`, type: 'function', function: call }];
      return { message: { role: 'assistant', content: null, tool_calls: calls } };
    },
  });
  try {
    const code = await readFile(path.join(examples, name), 'utf8');
    expect(await printed(name, code, small)).toBe('Hello.\n');
    expect(small.requests.filter(({ bytes }) => bytes > contextWindow * 4)).not.toEqual([]);
  } finally {
    await small.close();
  }
});
