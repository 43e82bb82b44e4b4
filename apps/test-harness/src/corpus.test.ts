import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { condenserByName, condenserNames } from '@palimpsest/condensers/config';
import { isLLMConvertible } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { ViewProjection } from '@palimpsest/view';
import { beforeAll, describe, expect, test } from 'vitest';
import { extent, recordedSessions } from '../test-support/recorded-sessions.js';
import { readSessions } from './import/index.js';
import type { Session } from './import/index.js';
import { priceRows } from './measure/money.js';
import { refusalMeter } from './measure/refusals.js';
import { none } from './replay/named-policy.js';
import { policyFrom } from './replay/policy.js';
import { replaySessions } from './replay/replay.js';
import type { ReplayedSession } from './replay/replayed-session.js';

const corpus = fileURLToPath(new URL('../../../corpus', import.meta.url));
const recorded = process.env['PALIMPSEST_TRAJECTORIES'];
const policies = [none, ...condenserNames.map((name) => policyFrom(name, { kind: 'name', name }))];
/** Those that declare that they rewrite every step. */
const rewriting = new Set(
  condenserNames.filter((name) => condenserByName(name, { llm: scriptedLLM({ script: [] }) }).rewritesEveryStep),
);

/** One row: condensers that read prices are replayed for each, and act alike for every provider. */
const prices = priceRows.slice(1, 2);

/** Renders every prefix of the sessions and checks it. Returns how many. */
async function soundPrefixes(sessions: AsyncIterable<Session>): Promise<number> {
  let prefixes = 0;
  for await (const { name, events } of sessions) {
    const projection = new ViewProjection();
    const refused = refusalMeter();
    for (const [index, event] of events.entries()) {
      projection.append(event);
      if (!isLLMConvertible(event)) continue;
      refused.atCall({ index, messages: projection.view.toMessages() });
      prefixes++;
    }
    expect(refused.result().refusals, name).toEqual([]);
  }
  return prefixes;
}

function expectSound({ name, replays }: ReplayedSession): void {
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

describe('our own corpus', () => {
  const sessions: ReplayedSession[] = [];
  beforeAll(async () => {
    for await (const session of replaySessions(readSessions(corpus), { policies, prices })) sessions.push(session);
  });

  test('every log replays through every condenser: nothing is refused, nothing fails', () => {
    const logs = readdirSync(corpus).filter((file) => file.endsWith('.jsonl'));
    expect(sessions).toHaveLength(logs.length);
    for (const session of sessions) expectSound(session);
  });

  test('every prefix of every log renders messages that no provider refuses', async () => {
    expect(await soundPrefixes(readSessions(corpus))).toBeGreaterThan(100);
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
  test('replay through every condenser: nothing is refused, nothing fails', { timeout: 600_000 }, async () => {
    const acted = new Set<string>();
    for await (const session of replaySessions(recordedSessions(recorded ?? '', 50), { policies, prices })) {
      expectSound(session);
      for (const { condenser, condensations } of session.replays) if (condensations > 0) acted.add(condenser);
    }
    // Nothing asks for a condensation, which is what a conversation window waits for.
    const others = new Set([none.name, 'noOp', 'conversationWindow', ...rewriting]);
    expect(policies.filter(({ name }) => !acted.has(name) && !others.has(name))).toEqual([]);
  });

  test('every prefix renders messages that no provider refuses', { timeout: 600_000 }, async () => {
    expect(await soundPrefixes(recordedSessions(recorded ?? '', 50))).toBeGreaterThan(100);
  });
});
