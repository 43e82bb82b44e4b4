import { coloursFor } from '@palimpsest/terminal';
import { expect, test } from 'vitest';
import type { DemoReport } from './demo-ending.js';
import { demoEnding } from './demo-ending.js';

const report: DemoReport = {
  conversationId: 'demo-1',
  model: 'offline',
  logFile: '/home/me/project/.palimpsest/logs/demo-1.jsonl',
  ending: 'done',
  answer: 'All is done.',
  tests: { exitStatus: 0, output: '\npassed 75, failed 0\n' },
  steps: 36,
  condensations: 1,
  forgotten: 84,
  masked: 0,
  tokensSent: 480_000,
  tokensUncondensed: 720_000,
  peakSent: 23_000,
  peakUncondensed: 23_000,
  costUsd: 0.162,
  costUncondensedUsd: 0.18,
  rereads: 2,
  rereadTokens: 700,
  rereadCostUsd: 0.004,
  pricedAs: ['claude-sonnet-5-5'],
  tokensByProvider: 470_000,
};

const ending = (changes: Partial<DemoReport>): readonly string[] =>
  demoEnding({ ...report, ...changes }, { colors: coloursFor({}, {}), width: 80, cwd: '/home/me/project' });

test('tests, what was done, and the command that shows what was saved', () => {
  expect(ending({})).toEqual([
    '',
    'The tests, run once more: passed 75, failed 0',
    '36 model calls, 1 condensation. So short a session saves little. What each',
    'condenser does in it, call by call:',
    'npx palimpsest-harness report .palimpsest/logs/demo-1.jsonl',
  ]);
});

test('tests that fail are printed whole, harmless to the terminal', () => {
  const tests = { exitStatus: 1, output: 'not ok 1\n  \u001b[2Jexpected 6\nfailed 1\n' };
  expect(ending({ tests }).join('\n')).toContain(
    String.raw`The tests, run once more:` +
      '\n' +
      String.raw`not ok 1` +
      '\n' +
      String.raw`  \x1b[2Jexpected 6` +
      '\nfailed 1',
  );
});

test('a long answer is cut, and a path is one word of the shell', () => {
  const lines = ending({
    model: 'gpt-5',
    answer: 'word '.repeat(500),
    logFile: "/home/me/project/it's here/demo.jsonl",
  });
  expect(lines.filter((line) => line.startsWith('word'))).toHaveLength(5);
  expect(lines.at(-1)).toBe(String.raw`npx palimpsest-harness report 'it'\''s here/demo.jsonl'`);
});

test('of a run that was interrupted before its first call nothing is counted', () => {
  const { tests: _tests, answer: _answer, ...interrupted } = report;
  const lines = demoEnding(
    { ...interrupted, ending: 'interrupted', steps: 0 },
    { colors: coloursFor({}, {}), width: 80, cwd: '/' },
  );
  expect(lines).toEqual([]);
});
