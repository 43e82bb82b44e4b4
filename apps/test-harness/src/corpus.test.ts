import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { condenserByName, condenserNames } from '@palimpsest/condensers/config';
import { isLLMConvertible } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { ViewProjection } from '@palimpsest/view';
import { beforeAll, describe, expect, test } from 'vitest';
import { extent, recordedFiles } from '../test-support/recorded-files.js';
import { readSessions } from './import/index.js';
import { none } from './replay/policy.js';
import type { Policy } from './replay/policy.js';
import { priceRows } from './measure/money.js';
import { refusalChecker } from './replay/refusal-checker.js';
import { replayPaths } from './replay/replay.js';
import type { ReplayedSession } from './replay/replay-report.js';

const corpus = fileURLToPath(new URL('../../../corpus', import.meta.url));
const recorded = process.env['PALIMPSEST_TRAJECTORIES'];
const policies = [
  none,
  ...condenserNames.map((name): Policy => ({ name, create: (llm) => condenserByName(name, { llm }) })),
];
/** Those that declare that they rewrite every step. */
const rewriting = new Set(
  condenserNames.filter((name) => condenserByName(name, { llm: scriptedLLM({ script: [] }) }).rewritesEveryStep),
);

/** One row: condensers that read prices are replayed for each, and act alike for every provider. */
const prices = priceRows.slice(1, 2);

async function replayAll(path: string): Promise<readonly ReplayedSession[]> {
  const sessions: ReplayedSession[] = [];
  for await (const session of replayPaths([path], { policies, prices })) sessions.push(session);
  return sessions;
}

/** Renders every prefix of the path's sessions and checks it. Returns how many. */
async function soundPrefixes(path: string): Promise<number> {
  let prefixes = 0;
  for await (const { name, events } of readSessions(path)) {
    const projection = new ViewProjection();
    const refused = refusalChecker();
    for (const [index, event] of events.entries()) {
      projection.append(event);
      if (!isLLMConvertible(event)) continue;
      refused.atCall(index, projection.view.toMessages());
      prefixes++;
    }
    expect(refused.finish().refusals, name).toEqual([]);
  }
  return prefixes;
}

function expectSound(sessions: readonly ReplayedSession[]): void {
  for (const { name, replays } of sessions) {
    for (const replay of replays) {
      const where = `${name}, ${replay.condenser}`;
      expect(replay.refusals, where).toEqual([]);
      expect(replay.condenserErrors, where).toEqual([]);
      if (rewriting.has(replay.condenser)) continue;
      expect(replay.prefixRewrites, where).toBeLessThanOrEqual(replay.condensations);
    }
    const [first] = replays;
    const noOp = replays.find(({ condenser }) => condenser === 'noOp');
    expect(first?.tokensSent, name).toBe(noOp?.tokensSent);
  }
}

describe('our own corpus', () => {
  let sessions: readonly ReplayedSession[];
  beforeAll(async () => {
    sessions = await replayAll(corpus);
  });

  test('every log replays through every condenser: nothing is refused, nothing fails', () => {
    const logs = readdirSync(corpus).filter((file) => file.endsWith('.jsonl'));
    expect(sessions).toHaveLength(logs.length);
    expectSound(sessions);
  });

  test('every prefix of every log renders messages that no provider refuses', async () => {
    expect(await soundPrefixes(corpus)).toBeGreaterThan(100);
  });

  test('condensers act on it: each sends less than none does', () => {
    const sums = new Map<string, number>();
    for (const { replays } of sessions) {
      for (const { condenser, tokensSent } of replays) sums.set(condenser, (sums.get(condenser) ?? 0) + tokensSent);
    }
    for (const name of ['recentEvents', 'observationMasking', 'extractiveSummary', 'pipeline']) {
      expect(sums.get(name), name).toBeLessThan((sums.get(none.name) ?? 0) * 0.95);
    }
  });
});

describe.skipIf(recorded === undefined)(`the real sessions that PALIMPSEST_TRAJECTORIES names: ${extent}`, () => {
  let files: readonly string[];
  beforeAll(async () => {
    files = await recordedFiles(recorded ?? '');
    expect(files.length).toBeGreaterThan(0);
  });

  test('replay through every condenser: nothing is refused, nothing fails', { timeout: 600_000 }, async () => {
    for (const file of files) expectSound(await replayAll(file));
  });

  test('every prefix renders messages that no provider refuses', { timeout: 600_000 }, async () => {
    let prefixes = 0;
    for (const file of files) prefixes += await soundPrefixes(file);
    expect(prefixes).toBeGreaterThan(100);
  });
});
