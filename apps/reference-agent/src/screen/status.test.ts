import { expect, test } from 'vitest';
import { colouredStyles, plainStyles } from '../../test-support/screen-rig.js';
import { columnsOf } from './layout.js';
import { formatDollars, formatThousands } from '../output/lines.js';
import { shownTime, statePhrase, statusLine } from './status.js';
import type { SessionState, WorkPhase } from '../session/session-events.js';
import type { Status } from './status.js';

const all: Status = {
  state: 'running tools',
  isBusy: true,
  elapsedMs: 75_400,
  isCondensingBehind: true,
  model: 'claude-sonnet-5-5',
  tokens: 34_210,
  window: 200_000,
  costUsd: 1.234,
  cachedShare: 0.917,
  savedTokens: 0.41,
  savedUsd: 0.87,
};

test('200 columns have room for all of it', () => {
  expect(statusLine(all, 200, plainStyles)).toBe(
    ' ⠼ running tools 1m15s · ◆ condensing behind · claude-sonnet-5-5 · ▰▰▱▱▱▱▱▱▱▱ · 34.2k/200k (17 %) · $1.23 · 92 % cached · saved 41 %, $0.870',
  );
});

test.each([
  [100, ' ⠼ running tools 1m15s · ◆ condensing behind · 34.2k/200k (17 %) · $1.23 · saved 41 %, $0.870'],
  [60, ' ⠼ running tools 1m15s · 34.2k/200k (17 %) · $1.23'],
  [30, ' ⠼ running tools 1m15s'],
  [10, ' ⠼ runnin…'],
])('the least important goes first: %i columns', (width, line) => {
  expect(statusLine(all, width, plainStyles)).toBe(line);
});

test('no line is wider than asked, with colours or without', () => {
  for (let width = 1; width < 220; width++) {
    for (const styles of [plainStyles, colouredStyles]) {
      expect(columnsOf(statusLine(all, width, styles))).toBeLessThanOrEqual(width);
    }
  }
});

test('what is not known is left out, and a model cannot drive the terminal with its name', () => {
  expect(statusLine({ state: 'ready', isBusy: false }, 80, plainStyles)).toBe(' ready');
  const named = statusLine({ state: 'ready', isBusy: false, model: 'a\u001b[2Jb' }, 80, plainStyles);
  expect(named).toBe(' ready · a\\x1b[2Jb');
});

test('where prices are not known, what was saved is no money', () => {
  const { costUsd: _, ...unpriced } = all;
  expect(statusLine(unpriced, 200, plainStyles)).toMatch(/ · 92 % cached · saved 41 %$/);
});

test('a state is told in a word or two', () => {
  const working = (phase: WorkPhase): SessionState => ({ type: 'working', phase, isInterrupted: false });
  const phases = ['asking', 'answering', 'tools', 'retrying', 'condensing'] as const;
  expect(phases.map((phase) => statePhrase(working(phase)))).toEqual([
    ...['thinking', 'answering', 'running tools', 'trying again', 'condensing'],
  ]);
  expect(statePhrase({ type: 'working', phase: 'tools', isInterrupted: true })).toBe('interrupting');
  const waits = (...waitsFor: string[]) => statePhrase({ type: 'opening', waitsFor });
  expect([waits(), waits('a'), waits('a', 'b', 'c')]).toEqual([
    'opening',
    'opening: waits for MCP a',
    'opening: waits for MCP a and 2 more',
  ]);
});

test('numbers are short, and say no more than is known', () => {
  expect([0, 940, 1_000, 34_210, 99_949, 99_950, 999_499, 999_500, 1_000_000, 2_000_000].map(formatThousands)).toEqual([
    '0.0k',
    '0.9k',
    '1.0k',
    '34.2k',
    '99.9k',
    '100k',
    '999k',
    '1.0M',
    '1M',
    '2M',
  ]);
  expect([0, 0.0123, 0.5, 12.345, -0.2].map(formatDollars)).toEqual([
    '$0.00',
    '$0.0123',
    '$0.500',
    '$12.35',
    '−$0.200',
  ]);
  expect([0, 59_999, 60_000, 3_600_000].map(shownTime)).toEqual(['0s', '59s', '1m00s', '1h00m']);
});
