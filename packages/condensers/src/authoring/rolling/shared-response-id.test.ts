import { logBuilder } from '@palimpsest/events/testing';
import { isCondensation, newestStep, View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { extractiveSummaryCondenser } from '../../extractive-summary/extractive-summary.js';
import { observationMaskingCondenser } from '../../observation-masking/observation-masking.js';

/** What a client writes that gives every response the same id. */
function oneId(steps: number) {
  const log = logBuilder();
  log.user('go');
  for (let step = 1; step <= steps; step++)
    log.call('read_file', { path: `${step}.ts` }, 'text\n'.repeat(600), { llmResponseId: 'r' });
  return View.fromEvents(log.events);
}

test('masking acts where all responses have one id, and the summary reports why it cannot', async () => {
  const view = oneId(200);
  const attempts: unknown[] = [];
  const report = (attempt: unknown) => void attempts.push(attempt);
  const masked = observationMaskingCondenser().condense(view, { report, contextWindow: 50_000 });
  expect(isCondensation(masked as View) && view.tokens()).toBeGreaterThan(100_000);
  expect(masked).toMatchObject({ redactions: expect.objectContaining({ length: 188 }) as unknown });
  expect(attempts).toEqual([]);
  for (const limits of [{}, { contextWindow: 50_000 }])
    expect(await extractiveSummaryCondenser().condense(view, { report, ...limits })).toBe(view);
  const attempt = { outcome: 'unavailable', reason: expect.stringContaining('llmResponseId is the same') as unknown };
  expect(attempts).toMatchObject([attempt, attempt]);
});

test('where the usage of the agent stands between, responses of one id are steps of their own, and the summary acts', async () => {
  const log = logBuilder();
  log.user('go');
  for (let step = 1; step <= 200; step++) {
    log.usage({ purpose: 'agent' });
    log.call('read_file', { path: `${step}.ts` }, 'text\n'.repeat(600), { llmResponseId: 'r' });
  }
  const view = View.fromEvents(log.events);
  expect(newestStep(view)).toEqual({ start: 399, cutPoint: 399, sharesResponse: false });
  const condensed = await extractiveSummaryCondenser().condense(view, { report: () => undefined });
  expect(isCondensation(condensed)).toBe(true);
});
