import { expect, test } from 'vitest';
import { reportJson, reportText } from '../cli/report-text.js';
import { isLong, noteCounts, reportRows } from './report.js';
import { ruleRegrets } from './savings.js';
import type { ReplayedSession } from './replayed-session.js';
import type { SessionReplay } from './task.js';

const full = { part: 1, whole: 1 };
const memory = {
  all: full,
  byKind: { identifier: full, anchor: full, number: full },
  byDistance: {},
  onlyInStubs: full,
};

/** A replay whose bill is its tokens. */
function replay(condenser: string, tokensSent: number, more: Partial<SessionReplay> = {}): SessionReplay {
  return {
    condenser,
    tokensSent,
    modelCalls: 10,
    peakTokens: 5,
    use: { cacheRead: 0, cacheWrite: tokensSent, input: 0, output: 0 },
    tokensByCall: [],
    condensedAt: [],
    rewrittenAt: [],
    overflowed: [],
    summariserCalls: 2,
    bills: [
      {
        prices: 'one',
        input: tokensSent,
        withRereads: tokensSent + 10,
        summariser: 5,
        atMarks: 2 * tokensSent,
        regret: tokensSent / 100,
      },
    ],
    memory,
    faults: 2,
    anchorFaults: 1,
    neverShown: 0,
    userWords: { messages: full, requests: full },
    loops: [
      {
        need: 'evidence',
        steps: 1,
        results: 2,
        tokens: 3,
        booked: { tokens: 1, of: 2 },
        costs: [tokensSent + (condenser === 'none' ? 0 : 20)],
      },
    ],
    eventsInViewAtEnd: 7,
    condensations: 1,
    prefixRewrites: 2,
    overflows: 0,
    refusedLists: 0,
    refusals: [],
    condenserErrors: [],
    milliseconds: 5,
    ...more,
  };
}

const line = [{ share: 1, cached: 0, recall: 1 }];
const optimum = {
  prices: 'one',
  uncondensed: 100,
  least: 25,
  insuredLeast: 28,
  rent: 30,
  insuredRent: 40,
  agentOutput: 7,
};
function session(name: string, replays: readonly SessionReplay[]): ReplayedSession {
  const controls = { lastN: line, belady: [{ share: 0.5, cached: 0, recall: 1 }] };
  return {
    name,
    file: 'f',
    format: 'openai-chat',
    events: 20,
    notes: [],
    recordedCompactions: 0,
    agentOutputTokens: 3,
    controls,
    optima: [optimum],
    replays,
  };
}

test('sums the sessions of each condenser, and pools what is saved', () => {
  const rows = reportRows([
    session('short', [replay('none', 100), replay('half', 150)]),
    session('large', [replay('none', 300, { peakTokens: 9 }), replay('half', 50, { refusedLists: 1 })]),
  ]);
  expect(rows.map(({ condenser }) => condenser)).toEqual(['none', 'half']);
  expect(rows[0]).toMatchObject({ tokensSent: 400, peakTokens: 9, share: 1, sessions: 2, modelCalls: 20 });
  expect(rows[1]).toMatchObject({ tokensSent: 200, share: 0.5, refusedLists: 1, millisecondsPerCall: 0.5 });
  const [savings] = rows[1]?.savings ?? [];
  // 200 of 400 paid, 220 with re-reads; half of the one session more, five sixths of the other less.
  expect(savings).toMatchObject({
    pooled: 0.5,
    withRereads: expect.closeTo(0.45) as number,
    worst: -0.5,
    worstSession: 'short',
    dearer: 1,
  });
  expect(savings?.mean).toBeCloseTo((-0.5 + 5 / 6) / 2);
  // The optimum pays 25 of 100.
  expect(savings?.captured).toBeCloseTo(0.45 / 0.75);
  expect(savings?.regret).toEqual({ mean: 1, worst: 1.5 });
  expect(savings).toMatchObject({ summariserBill: 10, agentOutputBill: 14, atMarks: 0.5 });
  expect(savings?.withLife).toBeUndefined();
  expect(rows[1]).toMatchObject({ averageTokens: 10, agentOutputTokens: 6 });
  expect(rows[1]?.meanShare).toBeCloseTo((1.5 + 1 / 6) / 2);
});

test('the regret of a rule is the same, whatever the condensers', () => {
  const cheap = { ...session('t', [replay('none', 100)]), optima: [{ ...optimum, rent: 25 }] };
  const found = ruleRegrets([session('s', [replay('none', 100)]), cheap]);
  const regret = (rule: string) => found.find((each) => each.rule === rule)?.regret;
  expect(regret('RENT')).toEqual([{ prices: 'one', mean: expect.closeTo(0.1) as number, worst: 30 / 25 - 1 }]);
  expect(regret('RENT, insured')).toEqual([{ prices: 'one', mean: 40 / 25 - 1, worst: 40 / 25 - 1 }]);
  expect(regret('optimum, insured')).toEqual([{ prices: 'one', mean: 28 / 25 - 1, worst: 28 / 25 - 1 }]);
});

test('a session is dearer in the loop from more than 2 % on, and the worst one is named', () => {
  const rows = reportRows([
    session('a', [replay('none', 1_000), replay('half', 1_001)]),
    session('b', [replay('none', 1_000), replay('half', 999)]),
    session('c', [replay('none', 1_000), replay('half', 1_080)]),
  ]);
  // With the 20 that the loop costs: 1,021, 1,019 and 1,100.
  expect(rows[1]?.savings[0]?.inLoop.evidence).toMatchObject({
    dearer: 2,
    worst: expect.closeTo(-0.1) as number,
    worstSession: 'c',
  });
});

test('pools recall and compares it with the controls at the same size', () => {
  const seen = (part: number, whole: number) => ({ ...memory, all: { part, whole } });
  const rows = reportRows([
    session('a', [replay('none', 100), replay('half', 50, { memory: seen(3, 4) })]),
    session('b', [replay('none', 100), replay('half', 50, { memory: seen(0, 0) })]),
  ]);
  expect(rows[1]?.recall).toBe(0.75);
  expect(rows[1]?.faultsPerHundredCalls).toBe(20);
  // Last-N shows a half at half the size, Belady all: (0.75 − 0.5 + 1 − 0.5) of (0.5 + 0.5).
  expect(rows[1]?.normalisedGain).toBeCloseTo(0.75);
});

test('what would be divided by next to nothing is left out', () => {
  const none = replay('none', 100);
  const small = {
    ...session('s', [none]),
    optima: [
      { prices: 'one', uncondensed: 100, least: 95, insuredLeast: 95, rent: 95, insuredRent: 95, agentOutput: 0 },
    ],
  };
  const alike = { ...small, controls: { lastN: line, belady: line } };
  const [row] = reportRows([alike]);
  expect(row?.savings[0]?.captured).toBeUndefined();
  expect(row?.normalisedGain).toBeUndefined();
});

test('nothing to sum is no row, and a session without a call divides by nothing', () => {
  expect(reportRows([])).toEqual([]);
  const [row] = reportRows([session('empty', [replay('none', 0, { modelCalls: 0 })])]);
  expect(row).toMatchObject({ millisecondsPerCall: 0, faultsPerHundredCalls: 0, share: 1 });
  expect(row?.savings[0]?.pooled).toBe(0);
});

test('a session is long by calls and by size', () => {
  const of = (modelCalls: number, peakTokens: number) =>
    isLong(session('s', [replay('none', 1, { modelCalls, peakTokens })]));
  expect([of(150, 60_000), of(149, 60_000), of(150, 59_999)]).toEqual([true, false, false]);
});

test('counts the kinds of notes, the most frequent first', () => {
  const note = { file: 'f', message: 'm' };
  const notes = [
    { ...note, kind: 'not-json' as const, count: 1 },
    { ...note, kind: 'sidechain' as const, count: 2 },
    { ...note, kind: 'sidechain' as const, count: 3 },
  ];
  expect([...noteCounts([{ notes }])]).toEqual([
    ['sidechain', 5],
    ['not-json', 1],
  ]);
});

test('one table says what is saved and forgotten; all tables say the rest', () => {
  const half = replay('half', 50, { summariserCalls: 2, memory: { ...memory, all: { part: 3, whole: 4 } } });
  const sessions = [session('s', [replay('none', 100), half]), session('t', [replay('none', 100), half])];
  const dear = session('u', [replay('none', 100), { ...half, ...replay('half', 110) }]);
  const report = { sessions: [...sessions, dear], skipped: [], isInterrupted: false };
  const text = reportText(report, { sessions: false, all: false });
  const lines = text.replaceAll(/\u001b\[\d+m/g, '').split('\n');
  expect(lines.slice(0, 4)).toEqual([
    '3 sessions, 30 model calls; saved is a share of the bill at one',
    '      saved with re-reads  worst session  without re-reads  forgotten  missed/100 calls  tokens sent',
    'none                0.0 %          0.0 %             0.0 %    ≤ 0.0 %              20.0      100.0 %',
    'half               10.0 %        -30.0 %            30.0 %   ≤ 22.2 %              20.0       70.0 %',
  ]);
  const all = reportText(report, { sessions: false, all: true }).replaceAll(/\u001b\[\d+m/g, '');
  for (const head of [
    'saved with re-reads, by evidence',
    'sessions > 2 % dearer, by evidence',
    'cost of timing',
    'saved without re-reads',
    'other measures',
    '20,000 tokens of instructions',
    'parts of the bill',
    'still in view',
    'still in view, by age',
    'requests (o200k)',
  ])
    expect(all).toMatch(new RegExp(`^${head.replace(/[()]/g, '.')}`, 'm'));
  expect(all.match(/^half .*$/gm)).toHaveLength(11);
});

test('what recorded caches read is a line of the text and a field of the JSON, of the sessions with usage alone', () => {
  const read = { answers: 10, expectedReadTokens: 100_000, reportedReadTokens: 90_000, drifts: { expired: 1 } };
  const report = {
    sessions: [
      { ...session('with usage', [replay('none', 100)]), recordedCache: read },
      session('without', [replay('none', 100)]),
    ],
    skipped: [],
    isInterrupted: false,
  };
  expect(reportText(report, { sessions: false, all: false })).toContain(
    'Recorded cache: read 90.0 % of what it should have (1 of 2 sessions, 10 answers); answers that read too little: expired 1',
  );
  expect(JSON.parse(reportJson(report))).toMatchObject({ recordedCache: read });
  const without = { ...report, sessions: report.sessions.slice(1) };
  expect(reportText(without, { sessions: false, all: false })).not.toContain('Recorded cache');
});
