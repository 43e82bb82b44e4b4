import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { condensation, condenseUntilSettled, NoCondensationAvailableError, View, ViewProjection } from './index.js';
import type { AttemptReport, Condenser } from './index.js';

/** A log of twelve messages of the agent, and all that is appended to it. */
function session() {
  const log = logBuilder();
  for (let index = 0; index < 12; index++) log.agent(`step ${index}`);
  const projection = new ViewProjection();
  for (const event of log.events) projection.append(event);
  const appended: Event[] = [];
  const host = {
    get view() {
      return projection.view;
    },
    append: async (event: Event) => {
      appended.push(event);
      await Promise.resolve();
      projection.append(event);
    },
  };
  return { log, projection, host, appended, types: () => appended.map(({ type }) => type) };
}

/** Forgets the first event until `most` are left. */
const forgetsOne = (most: number): Condenser => ({
  name: 'forgets-one',
  handlesCondensationRequests: true,
  condense: (view) => (view.events.length > most ? condensation({ view, end: 1 }) : view),
});

const unable: Condenser = {
  name: 'unable',
  condense: () => {
    throw new NoCondensationAvailableError('it does not want to');
  },
};

test('it condenses until a view is returned, and returns that', async () => {
  const { projection } = session();
  const view = await condenseUntilSettled(forgetsOne(10), projection);
  expect(view).toBe(projection.view);
  expect(view.events.length).toBe(10);
  const derived = view.without(new Set([view.events.at(0)?.id ?? '']));
  expect(await condenseUntilSettled({ name: 'hides', condense: () => derived }, projection)).toBe(derived);
});

test('it ends, and says so, when the condenser does not', async () => {
  const { host, types } = session();
  const reports: AttemptReport[] = [];
  const report = (attempt: AttemptReport): void => void reports.push(attempt);
  expect((await condenseUntilSettled(forgetsOne(0), host, { report })).events.length).toBe(9);
  expect(types()).toEqual(['condensation', 'condensation', 'condensation', 'condensation-attempt']);
  expect(reports).toEqual([{ outcome: 'unsettled', reason: 'it condensed 3 times in a row' }]);
  expect((await condenseUntilSettled(forgetsOne(0), host, { maxCondensations: 1 })).events.length).toBe(8);
});

test('reports stand in the log before the condensation, whoever else is told', async () => {
  const { host, appended } = session();
  const condenser: Condenser = {
    name: 'reports',
    condense: (view, context) => {
      context.report?.({ outcome: 'retried', reason: 'it was long', data: { events: 12 } });
      return forgetsOne(11).condense(view, context);
    },
  };
  await condenseUntilSettled(condenser, host);
  expect(appended).toMatchObject([
    { type: 'condensation-attempt', condenser: 'reports', outcome: 'retried', data: { events: 12 } },
    { type: 'condensation' },
    { type: 'condensation-attempt', condenser: 'reports', outcome: 'retried' },
  ]);
});

test('a request that cannot be met is settled; unasked, nothing happens', async () => {
  const { log, host, types, projection } = session();
  await condenseUntilSettled(unable, host);
  projection.append(log.create('condensation-request', {}));
  const view = await condenseUntilSettled(unable, host);
  expect(view.unhandledCondensationRequest).toBe(false);
  expect(view.events.length).toBe(12);
  expect(types()).toEqual(['condensation-attempt', 'condensation-attempt', 'condensation']);
});

test('what a host must not take is reported and changes nothing', async () => {
  const { log, host, appended } = session();
  const system = log.system();
  await host.append(system);
  const forgets = log.create('condensation', { forgottenEventIds: [system.id] });
  const strange = View.fromEvents(log.events);
  for (const result of [forgets, strange]) {
    const view = await condenseUntilSettled({ name: 'x', condense: () => result }, host);
    expect(view.events.length).toBe(13);
  }
  expect(appended).toMatchObject([
    { type: 'system-prompt' },
    { outcome: 'refused-protected' },
    { outcome: 'refused-invalid' },
  ]);
});

test('a preview appends nothing', async () => {
  const { host, appended } = session();
  const view = await condenseUntilSettled(forgetsOne(10), host, { preview: true });
  expect([view.events.length, appended.length]).toEqual([12, 0]);
});

test('what the condenser throws is thrown, and its reports are in the log', async () => {
  const { host, types } = session();
  const condenser: Condenser = {
    name: 'throws',
    condense: (_, { report }) => {
      report?.({ outcome: 'failed', reason: 'no answer' });
      throw new TypeError('broken');
    },
  };
  await expect(condenseUntilSettled(condenser, host)).rejects.toThrow('broken');
  expect(types()).toEqual(['condensation-attempt']);
});
