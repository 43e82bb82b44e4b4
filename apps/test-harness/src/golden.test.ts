import { beforeAll, describe, expect, test } from 'vitest';
import { fixedPolicies } from '../test-support/fixed-policies.js';
import { readSessions } from './import/index.js';
import { priceRows } from './measure/money.js';
import { none } from './replay/named-policy.js';
import type { Policy } from './replay/named-policy.js';
import { isLong, reportRows } from './replay/report.js';
import { ruleRegrets } from './replay/savings.js';
import type { ReplayedSession } from './replay/replayed-session.js';
import { sessionReplayer } from './replay/session-replayer.js';
import type { SessionReplay } from './replay/task.js';

// An independent program that knows the same definitions measured condensers that never change, on the same sessions.
const folder = process.env['PALIMPSEST_TRAJECTORIES'];
const isLongRun = process.env['PALIMPSEST_LONG_RUNS'] !== undefined;

/** By row of prices: the saving of the optimum, and of each condenser, plain, with re-reads and in the worst session. Unit: per cent. */
const money = {
  'r = 0.1': { optimum: 78.1, drops: [63.6, 61.7, 47.0], asks: [57.4, 55.5, 39.3], masks: [41.2, 39.4, 25.6] },
  'r = 0.05': { optimum: 71.5, drops: [54.6, 52.3, 35.5], asks: [43.3, 41.0, 22.0], masks: [34.6, 32.5, 20.6] },
  'r = 0.025': { optimum: 61.5, drops: [39.7, 36.5, 17.5], asks: [19.9, 16.9, -5.3], masks: [23.7, 20.9, 12.0] },
} as const;

/** Recall, recall of identifiers and share of raw tokens, in per cent; NG in hundredths; faults of anchors in a hundred calls. */
const memory = {
  drops: [87.6, 83.9, 26.9, 20, 0.47],
  asks: [87.7, 84.0, 27.4, 19, 0.47],
  masks: [93.9, 93.0, 52.0, 30, 0.26],
} as const;

const names = ['drops', 'asks', 'masks'] as const;

/** Rounding of the other program, and 0.1 point. */
const near = 0.151;
/** NG is rounded to hundredths there. */
const nearGain = 1;

describe.skipIf(folder === undefined || !isLongRun)('the numbers of the independent program', () => {
  const sessions: ReplayedSession[] = [];
  beforeAll(async () => {
    const policies = [none, ...names.map((name) => ({ name, create: fixedPolicies[name] as Policy['create'] }))];
    for (const source of ['claude-code-entire', 'codex-entire', 'pi-mono']) {
      for await (const { events, ...session } of readSessions(`${folder}/${source}`)) {
        const replayer = sessionReplayer(events, { prices: priceRows, contextWindow: 200_000 });
        const replays: SessionReplay[] = [];
        for (const policy of policies) replays.push(await replayer.replay(policy));
        const counts = { events: events.length, recordedCompactions: 0 };
        sessions.push({ ...session, ...counts, ...replayer.measures(), replays });
      }
    }
  }, 1_200_000);

  test('money, of long sessions', () => {
    const long = sessions.filter(isLong);
    expect(long).toHaveLength(6);
    const rows = reportRows(long);
    for (const [row, [prices, { optimum, ...expected }]] of Object.entries(money).entries()) {
      const optima = long.map(({ optima: each }) => each[row]);
      const sum = (of: (each: (typeof optima)[number]) => number) =>
        optima.reduce((total, each) => total + of(each), 0);
      const best = 1 - sum((each) => each?.least ?? 0) / sum((each) => each?.uncondensed ?? 0);
      expect(Math.abs(100 * best - optimum), prices).toBeLessThan(near);
      for (const name of names) {
        const savings = rows.find(({ condenser }) => condenser === name)?.savings[row];
        expect(savings?.prices).toBe(prices);
        const found = [savings?.pooled, savings?.withRereads, savings?.worstWithRereads];
        found.forEach((share, index) => {
          expect(
            Math.abs(100 * (share ?? NaN) - (expected[name][index] ?? NaN)),
            `${name}, ${prices}, ${index}`,
          ).toBeLessThan(near);
        });
      }
    }
  });

  test('memory, of long sessions', () => {
    for (const row of reportRows(sessions.filter(isLong))) {
      if (row.condenser === none.name) continue;
      const name = row.condenser as (typeof names)[number];
      const [all, identifiers, share, gain, anchors] = memory[name];
      expect(Math.abs(100 * row.recall - all), name).toBeLessThan(near);
      expect(Math.abs(100 * row.recallByKind.identifier - identifiers), name).toBeLessThan(near);
      expect(Math.abs(100 * row.share - share), name).toBeLessThan(near);
      expect(Math.abs(100 * (row.normalisedGain ?? NaN) - gain), name).toBeLessThan(nearGain);
      expect(row.anchorFaultsPerHundredCalls, name).toBeCloseTo(anchors, 1);
    }
  });

  test('the regret of RENT, within what was published of it', () => {
    for (const { prices, mean, worst } of ruleRegrets(sessions.filter(isLong))[0]?.regret ?? []) {
      if (prices === 'no cache') continue;
      expect(mean, prices).toBeLessThan(0.064);
      expect(worst, prices).toBeLessThan(0.1);
    }
  });
});
