import { expect, test } from 'vitest';
import { noteCounts, reportRows } from './replay-report.js';
import type { SessionReplay } from './replay-session.js';

function replay(condenser: string, tokensSent: number, more: Partial<SessionReplay> = {}): SessionReplay {
  return {
    condenser,
    tokensSent,
    modelCalls: 10,
    peakTokens: 5,
    eventsInViewAtEnd: 7,
    condensations: 1,
    prefixRewrites: 2,
    refusedLists: 0,
    refusals: [],
    condenserErrors: [],
    milliseconds: 5,
    ...more,
  };
}

const session = { name: 's', file: 'f', format: 'openai-chat', events: 20, notes: [] };

test('sums the sessions of each condenser and measures what is saved against the first', () => {
  const rows = reportRows([
    { ...session, replays: [replay('none', 100), replay('half', 40)] },
    { ...session, replays: [replay('none', 300, { peakTokens: 9 }), replay('half', 160, { refusedLists: 1 })] },
  ]);
  expect(rows.map(({ condenser }) => condenser)).toEqual(['none', 'half']);
  expect(rows[0]).toMatchObject({ tokensSent: 400, peakTokens: 9, savedShare: 0, sessions: 2, modelCalls: 20 });
  expect(rows[1]).toMatchObject({ tokensSent: 200, savedShare: 0.5, refusedLists: 1, millisecondsPerCall: 0.5 });
});

test('no session gives no row, and no call no time per call', () => {
  expect(reportRows([])).toEqual([]);
  expect(reportRows([{ ...session, replays: [replay('none', 0, { modelCalls: 0 })] }])[0]).toMatchObject({
    savedShare: 0,
    millisecondsPerCall: 0,
  });
});

test('notes are counted by kind, the most frequent first', () => {
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
