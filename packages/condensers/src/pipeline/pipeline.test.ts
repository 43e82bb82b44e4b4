import { createEvent } from '@palimpsest/events';
import type { Condensation, Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { isCondensation, NoCondensationAvailableError, View } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { extractiveSummaryCondenser } from '../digest/extractive-summary.js';
import { noOpCondenser } from '../no-op/no-op.js';
import { observationMaskingCondenser } from '../observation-masking/observation-masking.js';
import { recentEventsCondenser } from '../recent-events/recent-events.js';
import { pipelineCondenser } from './pipeline.js';

const quiet = { report: () => {} };

function longLog(steps = 40) {
  const log = logBuilder();
  log.system();
  log.user('Fix the parser.');
  for (let step = 1; step <= steps; step++)
    log.call('read_file', { path: `src/${step}.ts` }, `line of ${step}\n`.repeat(80));
  return log;
}

test('an empty pipeline is refused', () => {
  expect(() => pipelineCondenser([])).toThrow("pipeline: 'stages' is an empty list, which does nothing");
});

test('each stage is given what the one before returned, and the first condensation ends it', async () => {
  const seen: number[] = [];
  const spy = (name: string): Condenser => ({ name, condense: (view) => (seen.push(view.events.length), view) });
  const view = View.fromEvents(longLog().events);
  const pipeline = pipelineCondenser([
    spy('first'),
    recentEventsCondenser({ maxSize: 30 }),
    spy('second'),
    extractiveSummaryCondenser({ maxSize: 20 }),
    spy('never'),
  ]);
  const result = (await pipeline.condense(view, quiet)) as Condensation;
  expect(seen).toEqual([82, 30]);
  expect(result.metadata).toMatchObject({ condenser: 'extractiveSummary', stage: 'extractiveSummary' });
});

test('what it declares follows from its stages', () => {
  expect(pipelineCondenser([noOpCondenser()])).toMatchObject({
    name: 'pipeline',
    handlesCondensationRequests: false,
    rewritesEveryStep: false,
    protects: true,
  });
  const reckless: Condenser = { ...noOpCondenser(), protects: false };
  expect(pipelineCondenser([recentEventsCondenser(), extractiveSummaryCondenser(), reckless])).toMatchObject({
    handlesCondensationRequests: true,
    rewritesEveryStep: true,
    protects: false,
  });
});

test('a condensation made from a derived view speaks of the stored list', async () => {
  const log = longLog(30);
  const events: Event[] = [...log.events];
  const stored = View.fromEvents(events);
  const pipeline = pipelineCondenser([
    recentEventsCondenser({ maxSize: 30 }),
    extractiveSummaryCondenser({ maxSize: 20 }),
  ]);
  const result = (await pipeline.condense(stored, quiet)) as Condensation;
  expect(isCondensation(result)).toBe(true);
  const after = View.fromEvents([...events, result]);

  const summary = [...after.events].findIndex((event) => event.type === 'condensation-summary');
  const before = after.events.slice(0, summary).map(({ id }) => id);
  const behind = after.events.slice(summary + 1).map(({ id }) => id);
  const forgotten = new Set(result.forgottenEventIds);
  const order = [...stored.events].map(({ id }) => id);
  // Everything that stands before the summary stood before what it replaces or was hidden; what is behind came after.
  const firstForgotten = order.findIndex((id) => forgotten.has(id));
  const lastForgotten = order.findLastIndex((id) => forgotten.has(id));
  expect(before.every((id) => order.indexOf(id) < lastForgotten)).toBe(true);
  expect(behind.every((id) => order.indexOf(id) > firstForgotten)).toBe(true);
  expect(behind).toEqual(order.slice(lastForgotten + 1));
  expect([...before, ...behind]).toEqual(order.filter((id) => !forgotten.has(id)));
});

test('a stage that cannot act is reported, and the next one gets its chance', async () => {
  const log = longLog(8);
  log.request();
  const attempts: unknown[] = [];
  const unable: Condenser = {
    name: 'unable',
    handlesCondensationRequests: true,
    condense: () => {
      throw new NoCondensationAvailableError('there is nothing');
    },
  };
  const context = { report: (attempt: unknown) => void attempts.push(attempt) };
  const view = View.fromEvents(log.events);
  const result = await pipelineCondenser([unable, extractiveSummaryCondenser()]).condense(view, context);
  expect(isCondensation(result)).toBe(true);
  expect(attempts).toEqual([
    { outcome: 'unavailable', reason: 'No condensation is available: there is nothing', data: { stage: 'unable' } },
  ]);
  await expect(pipelineCondenser([unable, noOpCondenser()]).condense(view, quiet)).rejects.toThrow('there is nothing');
});

test.each<[string, unknown, string]>([
  ['a factory that was not called', [noOpCondenser], 'stages[0]'],
  ['nothing', [noOpCondenser(), undefined], 'stages[1]'],
  ['something else', [{ name: 'x' }], 'stages[0]'],
  ['no list', noOpCondenser(), 'stages'],
])('%s in the place of a stage is refused', (_, stages, option) => {
  const make = () => pipelineCondenser(stages as Condenser[]);
  expect(make).toThrow(InvalidCondenserConfigError);
  expect(make).toThrow(`'${option}'`);
});

test.each([undefined, null, 7, {}, []])('a stage that returns %j is named', async (result) => {
  const forgetful = { name: 'forgetful', condense: () => result } as unknown as Condenser;
  const asked = pipelineCondenser([forgetful, noOpCondenser()]).condense(View.fromEvents(longLog().events), quiet);
  await expect(asked).rejects.toThrow("'forgetful' returned neither a View nor a Condensation");
});

test('a request goes to the stage that handles it, on the view that the ones before return', async () => {
  const log = longLog(30);
  log.request();
  const stages = [recentEventsCondenser({ maxSize: 30 }), noOpCondenser(), extractiveSummaryCondenser()];
  const result = await pipelineCondenser(stages).condense(View.fromEvents(log.events), quiet);
  if (!isCondensation(result)) throw new Error('it returned a view');
  expect(result.metadata).toMatchObject({ reason: 'request', stage: 'extractiveSummary' });
  expect(View.fromEvents([...log.events, result]).unhandledCondensationRequest).toBe(false);
});

test('other errors of a stage are not swallowed', async () => {
  const broken: Condenser = {
    name: 'broken',
    condense: () => {
      throw new TypeError('a bug');
    },
  };
  const view = View.fromEvents(longLog().events);
  await expect(pipelineCondenser([broken]).condense(view, quiet)).rejects.toThrow(TypeError);
});

test('reports and condensations of nested pipelines are named from the outside in', async () => {
  const attempts: { data?: unknown }[] = [];
  const telling: Condenser = {
    name: 'telling',
    condense: (view, context) => {
      context.report?.({ outcome: 'tried', reason: 'to show it', data: { tokens: 1 } });
      return createEvent('condensation', { forgottenEventIds: [view.events.at(3)?.id ?? ''] });
    },
  };
  const context = { report: (attempt: { data?: unknown }) => void attempts.push(attempt) };
  const nested = pipelineCondenser([pipelineCondenser([telling])]);
  const result = (await nested.condense(View.fromEvents(longLog().events), context)) as Condensation;
  expect(attempts[0]?.data).toEqual({ tokens: 1, stage: 'pipeline/telling' });
  expect(result.metadata).toEqual({ condenser: 'telling', stage: 'pipeline/telling' });
});

test('masking comes first, and the summary follows when there is nothing left to mask', async () => {
  const log = longLog(30);
  const pipeline = pipelineCondenser([
    observationMaskingCondenser({ attentionWindow: 6, minSavedTokens: 1_000 }),
    extractiveSummaryCondenser({ maxSize: 40 }),
  ]);
  const events: Event[] = [...log.events];
  const stages: unknown[] = [];
  for (let round = 0; round < 3; round++) {
    const result = await pipeline.condense(View.fromEvents(events), quiet);
    if (!isCondensation(result)) break;
    stages.push(result.metadata?.['stage']);
    events.push(result);
  }
  expect(stages).toEqual(['observationMasking', 'extractiveSummary']);
});
