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

describe('layers', () => {
  it.each(packages.map((each) => each.shortName))('%s imports only what lies below it', async (shortName) => {
    const others = [...packages.map((other) => other.shortName), ...apps.map((app) => app.shortName)].filter(
      (other) => other !== shortName,
    );
    const refused: string[] = [];
    for (const other of others) {
      const rules = await brokenRules(`packages/${shortName}/src/index.ts`, `import '@palimpsest/${other}';`);
      if (rules.includes(boundaryRule)) refused.push(other);
    }

    expect(refused.sort()).toEqual(others.filter((other) => !mayImport[shortName]?.includes(other)).sort());
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
    for (const { shortName } of packages) {
      expect(await brokenRules('apps/reference-agent/src/cli.ts', `import '@palimpsest/${shortName}';`)).toEqual([]);
    }
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
