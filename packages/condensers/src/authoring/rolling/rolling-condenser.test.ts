import type { Condensation } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { isCondensation, newestStep, NoCondensationAvailableError, View } from '@palimpsest/view';
import type { AttemptReport } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { extractiveSummaryCondenser } from '../../digest/extractive-summary.js';
import { observationMaskingCondenser } from '../../observation-masking/observation-masking.js';
import { pipelineCondenser } from '../../pipeline/pipeline.js';
import { recentEventsCondenser } from '../../recent-events/recent-events.js';
import { CondenserModelError } from '../definition/errors.js';
import type { Requirement } from './requirement.js';
import { rollingCondenser } from './rolling-condenser.js';
import type { RollingOptions } from './rolling-condenser.js';

const log = logBuilder();
for (let index = 0; index < 20; index++) log.agent(`step ${index}`);
const view = View.fromEvents(log.events);
const made = log.create('condensation', { forgottenEventIds: ['event-1'] });
const reset = log.create('condensation', { forgottenEventIds: ['event-2'] });

const none: Requirement = { level: 'none', reasons: [], tokenBudget: undefined };
const soft: Requirement = { level: 'soft', reasons: ['events'], tokenBudget: undefined };
const tooLarge: Requirement = { level: 'hard', reasons: ['tokens'], tokenBudget: 10 };
const asked: Requirement = { level: 'hard', reasons: ['request'], tokenBudget: undefined };
const nothing = new NoCondensationAvailableError('nothing');
const modelFailed = new CondenserModelError('error', 'the model is down', { account: { model: 'm', costUsd: 0.1 } });

type Ends = Condensation | Error | undefined;

/** Runs a condenser whose parts end so, and gives the result and what was reported. */
async function run(requirement: Requirement, get: Ends, last?: { readonly ends: Ends }, on: View = view) {
  const reports: Record<string, unknown>[] = [];
  const calls = { get: 0, reset: 0 };
  const end = (ends: Ends): Condensation | undefined => {
    if (ends instanceof Error) throw ends;
    return ends;
  };
  const options: RollingOptions = {
    name: 'subject',
    requirement: () => requirement,
    getCondensation: () => (calls.get++, end(get) ?? made),
    ...(last === undefined ? {} : { hardReset: () => (calls.reset++, end(last.ends)) }),
  };
  const result = await Promise.resolve()
    .then(() => rollingCondenser(options).condense(on, { report: (report) => void reports.push({ ...report }) }))
    .catch((error: unknown) => error);
  return { result, reports, calls };
}

describe('the table of outcomes', () => {
  test('no requirement: the same view, and nothing is asked', async () => {
    const { result, calls } = await run(none, made, { ends: reset });
    expect(result).toBe(view);
    expect(calls).toEqual({ get: 0, reset: 0 });
  });

  test.each([soft, tooLarge, asked])('$level, $reasons: what was made', async (requirement) => {
    const { result, reports, calls } = await run(requirement, made, { ends: reset });
    expect(result).toBe(made);
    expect(calls.reset).toBe(0);
    expect(reports).toEqual([]);
  });

  test('soft and nothing to make: the same view, reported, and no last resort', async () => {
    const { result, reports, calls } = await run(soft, nothing, { ends: reset });
    expect(result).toBe(view);
    expect(calls.reset).toBe(0);
    expect(reports).toMatchObject([{ outcome: 'unavailable', data: { condenser: 'subject', events: 20 } }]);
  });

  test.each([tooLarge, asked])('hard ($reasons) and nothing to make: the last resort', async (requirement) => {
    expect((await run(requirement, nothing, { ends: reset })).result).toBe(reset);
  });

  test.each([undefined, { ends: undefined }])('hard, nothing to make, and no last resort (%s)', async (last) => {
    expect((await run(asked, nothing, last)).result).toBe(nothing);
    const { result, reports } = await run(tooLarge, nothing, last);
    expect(result).toBe(view);
    expect(reports).toMatchObject([{ outcome: 'unavailable', data: { tokenBudget: 10 } }]);
  });

  test('hard, and the last resort fails too: the model is the reason, and the cause', async () => {
    const { result, reports } = await run(asked, nothing, { ends: modelFailed });
    expect(NoCondensationAvailableError.isInstance(result)).toBe(true);
    expect(result).toHaveProperty('cause', modelFailed);
    expect(reports).toMatchObject([{ outcome: 'failed', reason: 'the model is down' }]);
    // A last resort that finds nothing does not hide that the model failed before.
    expect((await run(asked, modelFailed, { ends: nothing })).result).toHaveProperty('cause', modelFailed);
  });

  test('what a failed call took is on record, also where the last resort then helps', async () => {
    const { result, reports } = await run(tooLarge, modelFailed, { ends: reset });
    expect(result).toBe(reset);
    expect(reports).toMatchObject([{ outcome: 'retried', data: { kind: 'error', model: 'm', costUsd: 0.1 } }]);
  });

  test.each([soft, tooLarge])('$level, and the model fails: the same view, and a report', async (requirement) => {
    const { result, reports } = await run(requirement, modelFailed, { ends: undefined });
    expect(result).toBe(view);
    expect(reports).toMatchObject([{ outcome: 'failed', data: { condenser: 'subject', kind: 'error', events: 20 } }]);
  });

  test.each([soft, tooLarge, asked])('$level, and anything else is thrown: it is thrown', async (requirement) => {
    const bug = new TypeError('a bug');
    expect((await run(requirement, bug, { ends: reset })).result).toBe(bug);
    if (requirement.level === 'hard') expect((await run(requirement, nothing, { ends: bug })).result).toBe(bug);
  });

  test('an abort before it begins is thrown, and nothing is asked', async () => {
    const condenser = rollingCondenser({ name: 's', requirement: () => soft, getCondensation: () => made });
    const reason = new Error('nobody waits');
    await expect(condenser.condense(view, { report: () => {}, signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
  });
});

describe('G11: back-off', () => {
  /** A log in which the condenser failed so often, and then so many events came. */
  function afterFailures(failures: number, then: number, fields: { condenser?: string; condensed?: boolean } = {}) {
    const failing = logBuilder();
    for (let index = 0; index < 10; index++) failing.agent(`step ${index}`);
    for (let index = 0; index < failures; index++)
      failing.attempt({
        condenser: 'pipeline',
        outcome: 'failed',
        data: { condenser: fields.condenser ?? 'subject', events: 10 },
      });
    if (fields.condensed === true) failing.condensation(['event-1']);
    for (let index = 0; index < then; index++) failing.agent(`more ${index}`);
    return View.fromEvents(failing.events);
  }

  test.each([
    { failures: 0, waits: 0 },
    { failures: 1, waits: 4 },
    { failures: 2, waits: 8 },
    { failures: 4, waits: 32 },
    { failures: 5, waits: 64 },
    { failures: 40, waits: 64 },
  ])('after $failures failures the next attempt waits for $waits events', async ({ failures, waits }) => {
    if (waits > 0) {
      const { calls, result, reports } = await run(soft, made, undefined, afterFailures(failures, waits - 1));
      expect([calls.get, reports]).toEqual([0, []]);
      expect(result).toBeInstanceOf(Object);
    }
    expect((await run(soft, made, undefined, afterFailures(failures, waits))).calls.get).toBe(1);
  });

  test('too many tokens wait too; a request never does', async () => {
    expect((await run(tooLarge, made, { ends: reset }, afterFailures(3, 1))).calls).toEqual({ get: 0, reset: 0 });
    expect((await run(asked, made, undefined, afterFailures(3, 1))).result).toBe(made);
  });

  test('a condensation ends it, and failures of others are not ours', async () => {
    expect((await run(soft, made, undefined, afterFailures(3, 1, { condensed: true }))).result).toBe(made);
    expect((await run(soft, made, undefined, afterFailures(3, 1, { condenser: 'another' }))).result).toBe(made);
  });

  test('an empty condensation, as a host appends it for a request that could not be met, does not end it', async () => {
    const log = logBuilder();
    for (let index = 0; index < 10; index++) log.agent(`step ${index}`);
    log.attempt({ condenser: 'subject', outcome: 'failed', data: { events: 10 } });
    log.condensation([], { metadata: { reason: 'nothing-to-forget' } });
    expect((await run(soft, made, undefined, View.fromEvents(log.events))).calls.get).toBe(0);
  });

  test('it ends behind a condenser that always shows as many events, too', async () => {
    const log = logBuilder();
    const calls: number[] = [];
    const subject = rollingCondenser({
      name: 'subject',
      requirement: () => soft,
      getCondensation: () => {
        calls.push(log.events.length);
        throw modelFailed;
      },
    });
    const pipeline = pipelineCondenser([recentEventsCondenser({ maxSize: 10 }), subject]);
    for (let step = 1; step <= 60; step++) {
      log.agent(`step ${step}`);
      const report = (attempt: AttemptReport): void => void log.attempt({ condenser: 'pipeline', ...attempt });
      await pipeline.condense(View.fromEvents(log.events), { report });
    }
    // With each attempt on record: at 1, then after 4, 8, 16 and 32 events more.
    expect(calls).toEqual([1, 6, 15, 32]);
  });

  test('that nothing may be forgotten is said once in 64 events, and tried at each step', async () => {
    const known = logBuilder();
    for (let index = 0; index < 10; index++) known.agent(`step ${index}`);
    known.attempt({ condenser: 'subject', outcome: 'unavailable', data: { events: 10 } });
    const silent = await run(soft, nothing, undefined, View.fromEvents(known.events));
    expect([silent.calls.get, silent.reports]).toEqual([1, []]);
    for (let index = 0; index < 64; index++) known.agent(`more ${index}`);
    expect((await run(soft, nothing, undefined, View.fromEvents(known.events))).reports).toHaveLength(1);
  });
});

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
