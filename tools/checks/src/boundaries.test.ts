import { beforeAll, describe, expect, it } from 'vitest';
import { LintedLines } from './linted-lines.js';
import { apps, packages, plugins } from './workspace.js';

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

const layersRule = 'palimpsest/layers';
const importsRule = 'palimpsest/imports';

const linted = new LintedLines();
beforeAll(() => linted.lint());

/** Returns the rules that a file of ours with these lines breaks. */
const rulesBroken = (file: string, ...lines: readonly string[]) => {
  const findings = linted.add(file, lines);
  return () => findings().map(({ rule }) => rule);
};

describe('layers', () => {
  const others = (shortName: string) =>
    [...packages, ...apps, ...plugins].filter((other) => other.shortName !== shortName);

  describe.each(packages.map(({ shortName }) => shortName))('%s', (shortName) => {
    const imported = others(shortName);
    const findings = linted.add(
      `packages/${shortName}/src/index.ts`,
      imported.map(({ manifest }) => `import '${manifest.name}';`),
    );

    it('imports only what lies below it', () => {
      const refused = findings().flatMap(({ rule, line }) =>
        rule === layersRule ? [imported[line - 1]?.shortName] : [],
      );
      const allowed = mayImport[shortName] ?? [];
      const names = imported.map((other) => other.shortName);
      expect([...new Set(refused)].sort()).toEqual(names.filter((other) => !allowed.includes(other)).sort());
    });
  });

  it.each(
    [
      ['the servers in the code of a package', 'packages/agent/src/agent.ts', `import '@palimpsest/provider-servers';`],
      [
        'a relative path into another package',
        'packages/agent/src/index.ts',
        `import '../../condensers/src/index.js';`,
      ],
      ['a package that is not declared', 'packages/view/src/index.ts', `import 'commander';`],
    ].map(([what, file = '', line = '']) => [what, rulesBroken(file, line)] as const),
  )('refuse %s', (_, broken) => {
    expect(broken()).toContain(layersRule);
  });

  it.each(
    [
      ['the tests of every package use the servers', 'packages/agent/src/agent.test.ts', ['provider-servers']],
      ['the tests of a history use condensers', 'packages/messages/src/history.test.ts', ['condensers', 'events']],
      ['an app use every package', 'apps/reference-agent/src/cli.ts', packages.map(({ shortName }) => shortName)],
      ['a plugin use packages and the kit', 'plugins/pi/src/index.ts', ['messages', 'condensers', 'plugin-kit']],
    ].map(
      ([what, file, names]) =>
        [
          what as string,
          rulesBroken(file as string, ...(names as readonly string[]).map((name) => `import '@palimpsest/${name}';`)),
        ] as const,
    ),
  )('let %s', (_, broken) => {
    expect(broken()).toEqual([]);
  });
});

const cases = (list: readonly (readonly [file: string, line: string, rule?: string])[]) =>
  list.map(([file, line, rule = importsRule]) => [file, line, rule, rulesBroken(file, line)] as const);

describe('root entries', () => {
  const root = 'packages/llm-adapters/src/index.ts';

  it.each(
    cases([
      [root, `import 'node:fs';`],
      [root, `import 'fs/promises';`],
      [root, `export type { Stats } from 'node:fs';`],
      [root, `export const load = () => import('node:fs');`],
      [root, `import type {} from 'openai';`],
      [root, `export const load = () => import('@anthropic-ai/sdk');`],
      [root, `import './testing/index.js';`],
      [root, `import '@palimpsest/events/file';`],
      [root, `export * from './llm.js';`],
      [root, `export const cwd = process.cwd();`, 'no-restricted-globals'],
    ]),
  )('%s refuses %s', (_file, _line, rule, broken) => {
    expect(broken()).toContain(rule);
  });
});

describe('subpaths', () => {
  it.each(
    cases([
      ['packages/events/src/file/index.ts', `import 'node:fs';`],
      ['packages/agent/src/node/index.ts', `import 'node:child_process';`],
      ['packages/agent/src/node/index.ts', `export const cwd = process.cwd();`],
      ['packages/llm-adapters/src/openai/index.ts', `export type { OpenAI } from 'openai';`],
      ['packages/llm-adapters/src/anthropic/index.ts', `export const load = () => import('@anthropic-ai/sdk');`],
    ]),
  )('%s may hold %s', (_file, _line, _rule, broken) => {
    expect(broken()).toEqual([]);
  });

  it.each(
    cases([
      ['packages/llm-adapters/src/openai/index.ts', `export { OpenAI } from 'openai';`],
      ['packages/llm-adapters/src/openai/index.ts', `import 'node:fs';`],
      ['packages/llm-adapters/src/openai/index.ts', `export const load = () => import('node:fs');`],
      ['packages/events/src/file/index.ts', `import 'openai';`],
      ['packages/events/src/file/index.ts', `export * from './file-event-store.js';`],
    ]),
  )('%s must not hold %s', (_file, _line, rule, broken) => {
    expect(broken()).toContain(rule);
  });
});

/** A file for each rule that needs no types, and breaks it. */
describe('each rule finds what it is for', () => {
  it.each(
    cases(
      Object.entries({
        'no-array-constructor': `export const list = new Array(1, 2);`,
        'no-unused-expressions': `1 + 1;`,
        'no-unused-vars': `const unused = 1;`,
        'no-var': `export var old = 1;`,
        'prefer-const': `export let same = () => { let one = 1; return one; };`,
        'prefer-rest-params': `export function all() { return arguments; }`,
        'prefer-spread': `export const most = (list: number[]) => Math.max.apply(Math, list);`,
        eqeqeq: `export const same = (left: number, right: number) => left == right;`,
        'typescript/ban-ts-comment': `// @ts-ignore`,
        'typescript/consistent-type-imports': `import { Event } from './event.js'; export const none: Event[] = [];`,
        'typescript/no-duplicate-enum-values': `export enum Twice { A = 1, B = 1 }`,
        'typescript/no-empty-object-type': `export type Any = {};`,
        'typescript/no-explicit-any': `export type Any = any;`,
        'typescript/no-extra-non-null-assertion': `export const first = (list?: number[]) => list!![0];`,
        'typescript/no-misused-new': `export interface Made { new (): Made; }`,
        'typescript/no-namespace': `export namespace Old { export const one = 1; }`,
        'typescript/no-non-null-asserted-optional-chain': `export const size = (list?: number[]) => list?.length!;`,
        'typescript/no-require-imports': `export const own = require('./own.cjs');`,
        'typescript/no-this-alias': `export function self(this: object) { const me = this; return me; }`,
        'typescript/no-unnecessary-type-constraint': `export type Box<T extends unknown> = { value: T };`,
        'typescript/no-unsafe-declaration-merging': `export interface Both { one: 1 } export class Both {}`,
        'typescript/no-unsafe-function-type': `export type Any = Function;`,
        'typescript/no-wrapper-object-types': `export type Text = String;`,
        'typescript/prefer-as-const': `export const one = 1 as 1;`,
        'typescript/prefer-namespace-keyword': `export declare module Old { const one: 1; }`,
        'typescript/triple-slash-reference': `/// <reference path="./event.d.ts" />`,
      }).map(([rule, line]) => ['tools/checks/src/broken.ts', line, rule] as const),
    ),
  )('%s: %s breaks %s', (_file, _line, rule, broken) => {
    expect(broken()).toContain(rule);
  });

  const permitted = rulesBroken(
    'packages/view/src/view.ts',
    '// oxlint-disable-next-line no-var',
    'export const one = 1;',
  );
  it('a permission that nothing needs is told', () => {
    expect(permitted()).toHaveLength(1);
  });
});
