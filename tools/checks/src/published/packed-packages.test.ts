import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { openaiServer } from '@palimpsest/provider-servers';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { strictUser, typeProblems } from './native-types.js';
import { command, install, installedPackages, node, npx, type Tarballs } from './pack.js';
import { apps, entryPoints, publishedPackages, workspaceRoot, type Manifest } from '../workspace.js';

/** The packages that `npm install` of one package brings: the table in CONTRIBUTING.md, and their own dependencies. */
const bringsAlong: Readonly<Record<string, readonly string[]>> = {
  events: ['zod'],
  tools: ['@palimpsest/events', 'diff', 'ignore', 're2js', 'zod'],
  mcp: [
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/core',
    '@palimpsest/events',
    '@palimpsest/tools',
    'cross-spawn',
    'diff',
    'eventsource',
    'eventsource-parser',
    'ignore',
    'isexe',
    'jose',
    'path-key',
    'pkce-challenge',
    're2js',
    'shebang-command',
    'shebang-regex',
    'which',
    'zod',
  ],
  postgres: ['@palimpsest/events', 'zod'],
  dbos: [
    '@dbos-inc/dbos-sdk',
    '@huggingface/jinja',
    '@humanwhocodes/momoa',
    '@palimpsest/agent',
    '@palimpsest/events',
    '@palimpsest/llm-adapters',
    '@palimpsest/postgres',
    '@palimpsest/templates',
    '@palimpsest/view',
    'commander',
    'jsonrepair',
    'pg',
    'pg-cloudflare',
    'pg-connection-string',
    'pg-int8',
    'pg-pool',
    'pg-protocol',
    'pg-types',
    'pgpass',
    'postgres-array',
    'postgres-bytea',
    'postgres-date',
    'postgres-interval',
    'split2',
    'xtend',
    'yaml',
    'zod',
  ],
  'create-condenser': ['commander'],
  'provider-servers': [],
  templates: ['@huggingface/jinja', '@palimpsest/events', 'zod'],
  view: ['@palimpsest/events', 'zod'],
  'llm-adapters': ['@palimpsest/events', 'zod'],
  condensers: [
    '@huggingface/jinja',
    '@palimpsest/events',
    '@palimpsest/llm-adapters',
    '@palimpsest/templates',
    '@palimpsest/view',
    'import-meta-resolve',
    'smol-toml',
    'zod',
  ],
  'relevance-tool': ['@palimpsest/events', '@palimpsest/view', 'zod'],
  messages: [
    '@noble/hashes',
    '@palimpsest/events',
    '@palimpsest/llm-adapters',
    '@palimpsest/relevance-tool',
    '@palimpsest/view',
    'zod',
  ],
  'openai-agents': [
    '@noble/hashes',
    '@palimpsest/events',
    '@palimpsest/llm-adapters',
    '@palimpsest/messages',
    '@palimpsest/relevance-tool',
    '@palimpsest/view',
    'zod',
  ],
  'ai-sdk': [
    '@noble/hashes',
    '@palimpsest/events',
    '@palimpsest/llm-adapters',
    '@palimpsest/messages',
    '@palimpsest/relevance-tool',
    '@palimpsest/view',
    'zod',
  ],
  langchain: [
    '@langchain/core',
    '@langchain/langgraph',
    '@noble/hashes',
    '@palimpsest/events',
    '@palimpsest/llm-adapters',
    '@palimpsest/messages',
    '@palimpsest/relevance-tool',
    '@palimpsest/view',
    'langchain',
    'zod',
  ],
  agent: [
    '@huggingface/jinja',
    '@humanwhocodes/momoa',
    '@palimpsest/events',
    '@palimpsest/llm-adapters',
    '@palimpsest/templates',
    '@palimpsest/view',
    'jsonrepair',
    'yaml',
    'zod',
  ],
};

let directory: string;
let tarballs: Tarballs;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'packed-packages-'));
  tarballs = new Map(inject('tarballs'));
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

function tarball(name: string): string {
  const file = tarballs.get(name);
  if (file === undefined) throw new Error(`${name} was not packed`);
  return file;
}

async function publintProblems(name: string, manifest: Manifest): Promise<readonly (string | undefined)[]> {
  const archive = readFileSync(tarball(name));
  const { messages } = await publint({
    pack: { tarball: archive.buffer.slice(archive.byteOffset, archive.byteOffset + archive.byteLength) },
    strict: true,
  });
  return messages.map((message) => formatMessage(message, manifest));
}

describe.each(publishedPackages.map((each) => [each.manifest.name, each] as const))(
  '%s',
  (name, { shortName, directory: source, manifest }) => {
    const specifiers = entryPoints(manifest).map((entry) => name + entry.slice(1));

    it('has a README of at most 120 lines', () => {
      const file = path.join(source, 'README.md');

      expect(existsSync(file)).toBe(true);
      expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
    });

    it('satisfies publint', async () => {
      expect(await publintProblems(name, manifest)).toEqual([]);
    });

    it('satisfies attw', async () => {
      const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball(name))));

      expect(analysis).toMatchObject({ packageName: name, types: { kind: 'included' }, problems: [] });
      expect(Object.keys(analysis.types && analysis.entrypoints)).toEqual([...entryPoints(manifest), './package.json']);
    });

    describe('installed alone', () => {
      let project: string;

      beforeAll(async () => {
        project = path.join(directory, shortName);
        await install(project, [name], inject('everything'));
      });

      it('brings only what it needs', async () => {
        expect(await installedPackages(path.join(project, 'node_modules'))).toEqual(
          [name, ...(bringsAlong[shortName] ?? [])].sort(),
        );
      });

      it('has no source maps in it', async () => {
        const files = await readdir(path.join(project, 'node_modules', name), { recursive: true });

        expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
      });

      it('loads every entry with import and with require', async () => {
        const loads = specifiers.map((specifier) => `await import('${specifier}');\nrequire('${specifier}');`);
        const first =
          "import { createRequire } from 'node:module';\nconst require = createRequire(`${process.cwd()}/`);";

        await node(project, ['--input-type=module', '-e', [first, ...loads].join('\n')]);
      });

      // Packages that are installed together could find each other's types.
      it('type-checks under nodenext with exactOptionalPropertyTypes', async () => {
        expect(await problemsOfTypeScript7(project, reexportsOf(specifiers))).toEqual([]);
      });

      if (shortName === 'agent') {
        it('says what to install for its spans', async () => {
          const script = `
            const { openTelemetry, MissingPackageError } = await import('@palimpsest/agent/opentelemetry');
            const thrown = await openTelemetry().catch((error) => error);
            if (!MissingPackageError.isInstance(thrown) || thrown.packageName !== '@opentelemetry/api') throw thrown;`;

          await node(project, ['--input-type=module', '-e', script]);
        });
      }

      if (shortName === 'condensers') {
        it('takes options and ports from a user of exactOptionalPropertyTypes', async () => {
          const wrong = 'const wrong: { maxSize?: number } = { maxSize: undefined };';

          expect(await problemsOfTypeScript7(project, exactUser)).toEqual([]);
          expect(await problemsOfTypeScript7(project, `${exactUser}\n${wrong}`)).toHaveLength(1);
        });
      }
    });
  },
);

it.each(apps.map(({ manifest }) => [manifest.name, manifest] as const))(
  '%s satisfies publint',
  async (name, manifest) => {
    const problems = await publintProblems(name, manifest);

    // The sample is a project of its own. In CI the message begins with a colour.
    expect(problems.filter((problem) => problem?.includes('./sample-project/') !== true)).toEqual([]);
  },
);

describe('installed together', () => {
  let project: string;

  beforeAll(async () => {
    project = path.join(directory, 'all');
    const names = publishedPackages.map(({ manifest }) => manifest.name);
    await install(project, names, inject('everything'));
  });

  const everything = reexportsOf(
    publishedPackages.flatMap(({ manifest }) => entryPoints(manifest).map((entry) => manifest.name + entry.slice(1))),
  );

  // attw resolves every entry in every way; a compiler of a user reads what it resolves to. TypeScript 7 does so above.
  it('all entries type-check with TypeScript 6', () => {
    expect(problemsOfTypeScript6(project, everything)).toEqual([]);
  });
});

/** The first commands of a stranger, with nothing of this repository around. */
it('the packed harness finds the sessions of a home and reports on them in an empty folder', async () => {
  const project = path.join(directory, 'test-harness');
  const [home, empty] = [path.join(project, 'home'), path.join(project, 'empty')];
  await install(project, ['palimpsest-harness'], inject('everything'));
  await Promise.all([mkdir(empty), mkdir(path.join(home, '.claude/projects'), { recursive: true })]);
  await cp(path.join(workspaceRoot, 'corpus/demo-default.jsonl'), path.join(home, '.claude/projects/session.jsonl'));

  const { stdout } = await npx(empty, ['palimpsest-harness'], { home });

  expect(stdout).toMatch(/^1 session cost \$\d/);
  expect(stdout).toContain('1 session can be stepped through');
  expect(await readdir(empty)).toEqual(['palimpsest-report.html']);
  const page = await readFile(path.join(empty, 'palimpsest-report.html'), 'utf8');
  expect(page.slice(0, 15)).toBe('<!doctype html>');
  expect(page.includes('"name":"session.jsonl"')).toBe(true);

  // Where no session is, it shows the sample that it brings.
  const nothing = await npx(empty, ['palimpsest-harness', '-o', 'sample.html'], { home: empty });

  expect(nothing.stdout).toMatch(/^2 sessions cost \$\d/);
  expect(await readFile(path.join(empty, 'sample.html'), 'utf8')).toContain('"name":"demo.jsonl"');
});

it('the packed reference agent works on a task in an empty folder', async () => {
  const project = path.join(directory, 'reference-agent');
  const [home, empty] = [path.join(project, 'home'), path.join(project, 'empty')];
  const temporary = path.join(project, 'temporary');
  await install(project, ['palimpsest'], inject('everything'));
  await Promise.all([home, empty, temporary].map((folder) => mkdir(folder)));
  const write = { name: 'write_file', arguments: JSON.stringify({ path: 'note.md', content: 'Bread.\n' }) };
  const server = await openaiServer({
    profile: 'llama.cpp',
    reply: (_, index) =>
      index === 0
        ? { message: { content: 'I write it.', tool_calls: [{ id: 'call_0', type: 'function', function: write }] } }
        : { message: { content: 'It is written.' } },
  });
  const task = ['-p', 'Write a note.', '--base-url', server.baseURL, '--model', 'local', '--yolo'];

  const skill = path.join(home, '.agents', 'skills', 'noting');
  await mkdir(skill, { recursive: true });
  await writeFile(path.join(skill, 'SKILL.md'), '---\nname: noting\ndescription: How notes look here.\n---\nShort.\n');

  const { stdout } = await npx(empty, ['palimpsest', ...task], { home });
  await server.close();

  expect(stdout).toBe('It is written.\n');
  expect(JSON.stringify(server.requests[0]?.body)).toContain('How notes look here.');
  expect(await readdir(empty)).toEqual(['note.md']);

  // Standard error too: a reader that goes away is no error.
  const demo = `TMPDIR='${temporary}' npx --offline palimpsest demo 2>&1 | head -3`;
  const shown = await command(empty, 'sh', ['-c', demo], { home });
  expect(shown.stdout.split('\n')).toHaveLength(4);
  expect(shown.stdout).not.toMatch(/Error|^ {4}at /m);
  expect(await readdir(temporary)).toEqual([]);
});

const exactUser = `
import { createEvent, memoryEventStore, type CreateEvent, type EventStore } from '@palimpsest/events';
import { ViewProjection, condensation, type CondenseContext, type Condenser, type View } from '@palimpsest/view';
import type { Completion, CompletionRequest, LLM } from '@palimpsest/llm-adapters';
import { llmSummarizingCondenser, observationMaskingCondenser } from '@palimpsest/condensers';

export const store: EventStore = memoryEventStore();
export const request = createEvent('condensation-request', { reason: 'full' });
export const { view } = new ViewProjection({ thinking: 'none' });

class OwnCondenser implements Condenser {
  readonly name = 'own';
  readonly #createEvent: CreateEvent | undefined;
  constructor(options: { readonly createEvent?: CreateEvent } = {}) {
    this.#createEvent = options.createEvent;
  }
  condense(view: View, { signal }: CondenseContext) {
    signal?.throwIfAborted();
    const made = this.#createEvent === undefined ? {} : { createEvent: this.#createEvent };
    return condensation({ view, start: 0, end: 1, ...made });
  }
}
class OwnLLM implements LLM {
  readonly model = 'own';
  readonly contextWindow?: number;
  complete({ maxOutputTokens, signal }: CompletionRequest): Promise<Completion> {
    return Promise.reject(signal?.reason ?? new Error(String(maxOutputTokens)));
  }
}
export const condensers: readonly Condenser[] = [
  new OwnCondenser(),
  observationMaskingCondenser({ attentionWindow: 5 }),
  llmSummarizingCondenser({ llm: new OwnLLM(), maxSize: 80 }),
];
`;

function reexportsOf(specifiers: readonly string[]): string {
  return specifiers.map((specifier, i) => `export * as entry${i} from '${specifier}';`).join('\n');
}

/** By default with an option that the repository itself is compiled without. */
async function problemsOfTypeScript7(project: string, code: string): Promise<readonly string[]> {
  await writeFile(path.join(project, 'consumer.mts'), code);
  // Our declarations are checked too. What others declare is their own affair.
  const compilerOptions = { ...strictUser, types: [], skipLibCheck: false, skipDefaultLibCheck: true };
  const problems = await typeProblems(project, { compilerOptions, files: ['consumer.mts'] });
  return problems.filter((line) => /^(consumer\.mts|node_modules\/@palimpsest\/)/.test(line) || !/^\S+\(/.test(line));
}

function problemsOfTypeScript6(project: string, code: string): readonly string[] {
  const consumer = path.join(project, 'consumer.mts');
  ts.sys.writeFile(consumer, code);
  const program = ts.createProgram([consumer], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: [],
    strict: true,
    // Our declarations are checked too.
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    noEmit: true,
  });
  // What others declare is their own affair.
  const ours = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName === consumer || fileName.includes('/node_modules/@palimpsest/'));
  return [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...ours.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ].map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
