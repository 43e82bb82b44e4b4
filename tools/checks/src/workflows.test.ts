import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readManifest, workspaceRoot } from './workspace.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

const folder = path.join(workspaceRoot, '.github/workflows');
const workflows = readdirSync(folder).map((file) => [file, readFileSync(path.join(folder, file), 'utf8')] as const);

it.each(workflows)('%s runs actions of one commit each, and commands that there are', (_, text) => {
  const { permissions, jobs } = parse(text) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const scripts = Object.keys(readManifest(workspaceRoot).scripts ?? {});
  const missing = steps
    .flatMap(({ run = '' }) => [...run.matchAll(/\bnpm run ([\w:-]+)/g)])
    .filter(([, script = '']) => !scripts.includes(script));

  expect(permissions).toEqual({ contents: 'read' });
  expect(steps.flatMap(({ uses = [] }) => uses).filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
  expect(missing).toEqual([]);
});
