import { logBuilder } from '@palimpsest/events/testing';
import { isCondensation, ViewProjection } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { expect, test } from 'vitest';
import { extractiveSummaryCondenser } from './extractive-summary.js';
import { observationMaskingCondenser } from './observation-masking.js';
import { pipelineCondenser } from './pipeline.js';
import { recentEventsCondenser } from './recent-events.js';

const timeout = 30_000;

/** Runs a session of so many steps, with batches of one to three calls and words in between, and gives what was sent. */
async function run(condenser: Condenser, steps: number) {
  const log = logBuilder();
  const projection = new ViewProjection();
  const sent = { events: 0, tokens: 0, condensations: 0, inARow: 0 };
  projection.append(log.system());
  projection.append(log.user('Work through the list.'));
  for (let step = 1; step <= steps; step++) {
    const calls = Array.from({ length: 1 + (step % 3) }, (_, index) => ({
      name: index === 0 ? 'read_file' : 'bash',
      input: index === 0 ? { path: `src/${step}.ts` } : { command: `npm test -- ${step}` },
      result: `line of step ${step}\n`.repeat(10 + ((step * 7) % 50)),
    }));
    const { actions, results } = log.batch(calls);
    for (const event of [...actions, ...results]) projection.append(event);
    if (step % 50 === 0) projection.append(log.user(`Now part ${step}.`));
    for (let inARow = 0; ; inARow++) {
      const result = await condenser.condense(projection.view, { report: () => {} });
      sent.inARow = Math.max(sent.inARow, inARow);
      if (isCondensation(result)) {
        sent.condensations++;
        projection.append(result);
        continue;
      }
      sent.events = Math.max(sent.events, result.events.length);
      sent.tokens = Math.max(sent.tokens, result.tokens());
      if (step % 100 === 0) expect(messageViolations(result.toMessages())).toEqual([]);
      break;
    }
  }
  return { sent, view: projection.view };
}

test(
  'recentEvents stays under its bound for 2,000 steps',
  async () => {
    const { sent, view } = await run(recentEventsCondenser({ maxEvents: 100 }), 2_000);
    expect(sent.events).toBeLessThanOrEqual(100 + 3);
    expect(sent.condensations).toBe(0);
    expect(view.events.length).toBeGreaterThan(8_000);
  },
  timeout,
);

test(
  'extractiveSummary stays under its bound for 2,000 steps, one condensation at a time',
  async () => {
    const { sent, view } = await run(extractiveSummaryCondenser(), 2_000);
    expect(sent.events).toBeLessThanOrEqual(120);
    expect(sent.inARow).toBe(1);
    // The room between 60 and 120 is used: 8,000 events in about 60 at a time.
    expect(sent.condensations).toBeLessThan(150);
    expect(view.condensations.length).toBe(sent.condensations);
  },
  timeout,
);

test(
  'a token budget is kept for 2,000 steps',
  async () => {
    const { sent } = await run(extractiveSummaryCondenser({ maxSize: 100_000, maxTokens: 20_000 }), 2_000);
    expect(sent.tokens).toBeLessThanOrEqual(20_000);
    expect(sent.inARow).toBe(1);
  },
  timeout,
);

test(
  'masking and then summarising stays under the bound of the summary for 2,000 steps',
  async () => {
    const { sent } = await run(pipelineCondenser([observationMaskingCondenser(), extractiveSummaryCondenser()]), 2_000);
    expect(sent.events).toBeLessThanOrEqual(120);
    expect(sent.inARow).toBeLessThanOrEqual(2);
  },
  timeout,
);
