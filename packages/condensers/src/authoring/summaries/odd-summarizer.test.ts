import { logBuilder } from '@palimpsest/events/testing';
import { isCondensation, View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { slidingWindowCondenser } from '../../sliding-window/sliding-window.js';
import { InvalidCondenserConfigError } from '../definition/errors.js';
import type { Summarizer, SummaryResult } from './summarizer.js';
import { summarizingCondenser } from './summarizing-condenser.js';

const log = logBuilder();
log.user('Make it work.');
for (let step = 0; step < 10; step++) log.call('run', { step }, 'x'.repeat(400));
const view = View.fromEvents(log.events);

test('a summariser that ignores its signal does not hold up who aborts', async () => {
  const abort = new AbortController();
  const reason = new Error('nobody waits');
  const deaf: Summarizer = { summarize: () => (queueMicrotask(() => abort.abort(reason)), new Promise(() => {})) };
  const condenser = summarizingCondenser({ summarizer: deaf, maxSize: 10 });
  const waiting = Promise.resolve(condenser.condense(view, { signal: abort.signal, report: () => {} }));
  await expect(waiting).rejects.toBe(reason);
});

test.each([
  summarizingCondenser({
    summarizer: { model: 'deaf', summarize: () => new Promise(() => {}) },
    maxSize: 10,
    modelCall: { timeoutMs: 1 },
  }),
  slidingWindowCondenser({
    summarizer: { model: 'deaf', summarize: () => new Promise(() => {}) },
    tokenThreshold: 500,
    eventRetentionSize: 2,
    modelCall: { timeoutMs: 1 },
  }),
])('$name: one that never answers is given up at the deadline', async (condenser) => {
  const reports: unknown[] = [];
  expect(await condenser.condense(view, { report: (report) => void reports.push(report) })).toBe(view);
  expect(reports).toMatchObject([{ outcome: 'failed', data: { kind: 'timeout', model: 'deaf' } }]);
});

test('its signal aborts at the deadline', async () => {
  let given: AbortSignal | undefined;
  const summarizer: Summarizer = { summarize: (_, { signal }) => ((given = signal), new Promise(() => {})) };
  await summarizingCondenser({ summarizer, maxSize: 10, modelCall: { timeoutMs: 1 } }).condense(view, {
    report: () => {},
  });
  expect(given?.aborted).toBe(true);
});

test.each([
  { option: 'modelCall.timeoutMs', options: { modelCall: { timeoutMs: 0 } } },
  { option: 'modelCall.timeoutMs', options: { modelCall: { timeoutMs: 0 } } },
  { option: 'summarizer', options: { summarizer: undefined as unknown as Summarizer } },
])('$option is checked', ({ option, options }) => {
  const summarizer: Summarizer = { summarize: () => Promise.resolve({ text: 'S' }) };
  const make = () => summarizingCondenser({ summarizer, ...options });
  expect(make).toThrow(InvalidCondenserConfigError);
  expect(make).toThrow(`'${option}'`);
});

test.each([undefined, {}, { text: 42 }, { text: '\u200b' }, { text: '---' }])(
  'a summariser that answers %j leaves the history as it was, and that is reported',
  async (answer) => {
    const odd: Summarizer = { model: 'odd', summarize: () => Promise.resolve(answer as unknown as SummaryResult) };
    const outcomes: unknown[] = [];
    const condenser = summarizingCondenser({ summarizer: odd, maxSize: 10 });
    const result = await condenser.condense(view, {
      report: ({ outcome, data }) => void outcomes.push([outcome, data?.['kind']]),
    });
    expect(result).toBe(view);
    expect(outcomes).toEqual([['failed', 'empty']]);
  },
);

test('a cost that is no amount is left out, and the summary counts', async () => {
  const log = logBuilder();
  for (let index = 0; index < 20; index++) log.agent(`message ${index} `.repeat(40));
  const summarizer = { summarize: async () => ({ text: 'A summary.', costUsd: Number.NaN }) };
  const condenser = summarizingCondenser({ summarizer, maxSize: 10 });
  const result = await condenser.condense(View.fromEvents(log.events), { report: () => {} });
  expect(isCondensation(result) && result.metadata).toMatchObject({ condenser: 'summarizing' });
  expect(isCondensation(result) && result.metadata).not.toHaveProperty('costUsd');
});
