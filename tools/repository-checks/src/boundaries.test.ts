import path from 'node:path';
import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';
import { apps, packages, workspaceRoot } from './workspace.js';

/** The table in CONTRIBUTING.md, written down a second time, so that a change of one alone is seen. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  events: [],
  view: ['events'],
  'llm-adapters': ['events'],
  templates: ['events'],
  condensers: ['events', 'view', 'llm-adapters', 'templates'],
  'relevance-tool': ['events', 'view'],
  messages: ['events', 'view', 'llm-adapters', 'relevance-tool'],
  'ai-sdk': ['messages'],
  langchain: ['messages'],
  'openai-agents': ['messages'],
  agent: ['events', 'view', 'llm-adapters', 'templates'],
  tools: ['events'],
  mcp: ['events', 'tools'],
  postgres: ['events'],
  dbos: ['events', 'agent', 'postgres'],
  terminal: [],
  'create-condenser': [],
  'provider-servers': [],
};

const boundaryRule = '@nx/enforce-module-boundaries';
const importRule = '@typescript-eslint/no-restricted-imports';
const syntaxRule = 'no-restricted-syntax';

const eslint = new ESLint({ cwd: workspaceRoot });

/** The rules that a file of ours would break if it held this line. No file is written. */
async function brokenRules(file: string, line: string): Promise<readonly (string | null)[]> {
  const results = await eslint.lintText(`${line}\n`, { filePath: path.join(workspaceRoot, file) });
  return results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => ruleId ?? message));
}

/** Those of the packages and applications that a file of ours must not import. One file holds all the imports: a lint a line took long. */
async function refusedImports(file: string, names: readonly string[]): Promise<readonly string[]> {
  const lines = names.map((name) => `import '@palimpsest/${name}';\n`);
  const results = await eslint.lintText(lines.join(''), { filePath: path.join(workspaceRoot, file) });
  const refused = results
    .flatMap(({ messages }) => messages)
    .filter(({ ruleId }) => ruleId === boundaryRule)
    .map(({ line }) => names[line - 1] ?? '');
  return [...new Set(refused)].sort();
}

describe('layers', () => {
  it.each(packages.map((each) => each.shortName))('%s imports only what lies below it', async (shortName) => {
    const others = [...packages, ...apps].map((other) => other.shortName).filter((other) => other !== shortName);

    expect(await refusedImports(`packages/${shortName}/src/index.ts`, others)).toEqual(
      others.filter((other) => !mayImport[shortName]?.includes(other)).sort(),
    );
  });

  it('lets the tests of every package use the servers, and its code not', async () => {
    const line = `import '@palimpsest/provider-servers';`;

    expect(await brokenRules('packages/agent/src/agent.test.ts', line)).toEqual([]);
    expect(await brokenRules('packages/agent/src/agent.ts', line)).toContain(boundaryRule);
  });

  it('refuses a relative path into another package', async () => {
    const line = `import '../../condensers/src/index.js';`;

    expect(await brokenRules('packages/agent/src/index.ts', line)).toContain(boundaryRule);
  });

  it('refuses a package that is not declared', async () => {
    expect(await brokenRules('packages/view/src/index.ts', `import 'commander';`)).toContain(boundaryRule);
  });

  it('lets an app use every package', async () => {
    const lines = packages.map(({ shortName }) => `import '@palimpsest/${shortName}';`);

    expect(await brokenRules('apps/reference-agent/src/cli.ts', lines.join('\n'))).toEqual([]);
  });
});

describe('root entries', () => {
  it.each([
    [`import 'node:fs';`, importRule],
    [`import 'fs/promises';`, importRule],
    [`export type { Stats } from 'node:fs';`, importRule],
    [`export const load = () => import('node:fs');`, syntaxRule],
    [`import type {} from 'openai';`, importRule],
    [`export const load = () => import('@anthropic-ai/sdk');`, syntaxRule],
    [`import './testing/index.js';`, importRule],
    [`import '@palimpsest/events/file';`, importRule],
    [`export const cwd = process.cwd();`, 'no-restricted-globals'],
  ])('refuse %s', async (line, rule) => {
    expect(await brokenRules('packages/llm-adapters/src/index.ts', line)).toContain(rule);
  });
});

describe('subpaths', () => {
  it.each([
    ['packages/events/src/file/index.ts', `import 'node:fs';`],
    ['packages/agent/src/node/index.ts', `import 'node:child_process';`],
    ['packages/llm-adapters/src/openai/index.ts', `export type { OpenAI } from 'openai';`],
    ['packages/llm-adapters/src/anthropic/index.ts', `export const load = () => import('@anthropic-ai/sdk');`],
  ])('%s may hold %s', async (file, line) => {
    expect(await brokenRules(file, line)).toEqual([]);
  });

  it.each([
    ['packages/llm-adapters/src/openai/index.ts', `export { OpenAI } from 'openai';`, importRule],
    ['packages/llm-adapters/src/openai/index.ts', `import 'node:fs';`, importRule],
    ['packages/events/src/file/index.ts', `import 'openai';`, importRule],
  ])('%s must not hold %s', async (file, line, rule) => {
    expect(await brokenRules(file, line)).toContain(rule);
  });
});
