import { logBuilder } from '@palimpsest/events/testing';
import { isCondensation, ViewProjection } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { expect, test } from 'vitest';
import { readingSummarizer } from '../../test-support/window-session.js';
import { slidingWindowCondenser } from './sliding-window.js';
import type { SlidingWindowOptions } from './sliding-window.js';

/** So many requests of a user, each with a few calls and an answer, and what was sent for them at most. */
async function run(options: SlidingWindowOptions, requests: number) {
  const { summarizer } = readingSummarizer((_, call) => ({ text: `Summary ${call}. ${'word '.repeat(40)}` }));
  const condenser = slidingWindowCondenser({ ...options, summarizer });
  const log = logBuilder();
  const projection = new ViewProjection();
  const most = { events: 0, tokens: 0, summaries: 0, inARow: 0, condensations: 0, record: 0 };
  const ask = async () => {
    for (let inARow = 0; ; inARow++) {
      const result = await condenser.condense(projection.view, { report: () => {} });
      most.inARow = Math.max(most.inARow, inARow);
      if (!isCondensation(result)) break;
      most.condensations++;
      most.record = Math.max(most.record, JSON.stringify(result).length);
      projection.append(result);
    }
    const { view } = projection;
    most.events = Math.max(most.events, view.events.length);
    most.tokens = Math.max(most.tokens, view.tokens());
    most.summaries = Math.max(
      most.summaries,
      [...view.events].filter(({ type }) => type === 'condensation-summary').length,
    );
  };
  projection.append(log.system());
  for (let request = 1; request <= requests; request++) {
    projection.append(log.user(`Request ${request}.`));
    await ask();
    for (let call = 0; call < 1 + (request % 4); call++) {
      const { action, result } = log.call('run', { command: `${request}/${call}` }, 'line of output\n'.repeat(20));
      projection.append(action);
      projection.append(result);
      await ask();
    }
    projection.append(log.agent(`Answer ${request}.`));
    if (request % 50 === 0) expect(messageViolations(projection.view.toMessages())).toEqual([]);
  }
  return { most, view: projection.view };
}

test('150 requests in windows of three: never more than three that are not summarised, nor more summaries than allowed', async () => {
  const { most } = await run({ compactionInterval: 3, overlapSize: 1, maxSummaries: 5 }, 150);
  expect(most.summaries).toBe(5);
  // Three completed invocations and the live one, of at most ten events each, the summaries, and what is protected.
  expect(most.events).toBeLessThanOrEqual(4 * 10 + 5 + 2);
  expect(most.inARow).toBe(1);
  expect(most.condensations).toBe(49);
  // A record names the events of its window, and no more however long the log is.
  expect(most.record).toBeLessThan(4_000);
});

test('100 requests by tokens: one summary, and the prompt stays near the threshold', async () => {
  const { most } = await run({ tokenThreshold: 3_000, eventRetentionSize: 10 }, 100);
  expect(most.summaries).toBe(1);
  expect(most.tokens).toBeLessThan(3_000 + 200);
  expect(most.inARow).toBe(1);
  expect(most.record).toBeLessThan(6_000);
});
