import { EventLog } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import {
  condensation,
  CondenserTimeoutError,
  condenseUntilSettled,
  InvalidCondensedLogError,
  InvalidCondenserResultError,
  NoCondensationAvailableError,
  View,
  ViewProjection,
} from '../index.js';
import type { AttemptReport, Condenser } from '../index.js';

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

test('an empty condensation is appended, and counts like any other', async () => {
  const { host, log, types } = session();
  const empty = (): Condenser => ({ name: 'x', condense: () => log.create('condensation', { forgottenEventIds: [] }) });
  const view = await condenseUntilSettled(empty(), host);
  expect(view.events.length).toBe(12);
  expect(types()).toEqual(['condensation', 'condensation', 'condensation', 'condensation-attempt']);
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

test.each([
  [undefined, 'but undefined'],
  [null, 'but null'],
  [7, 'but a number'],
  ['done', 'but a string'],
  [[], 'but a list'],
  [{}, 'but another object'],
])('a condenser that returns %j is named', async (result, what) => {
  const { host, appended } = session();
  const settled = condenseUntilSettled({ name: 'lost', condense: () => result as never }, host);
  await expect(settled).rejects.toThrow(InvalidCondenserResultError);
  await expect(settled).rejects.toThrow(`The condenser 'lost' returned neither a view nor a condensation ${what}.`);
  expect(appended).toEqual([]);
});

test('an abort ends the wait for a condenser that ignores the signal', async () => {
  const { host, appended } = session();
  const abort = new AbortController();
  const reason = new Error('nobody waits');
  const hangs: Condenser = {
    name: 'hangs',
    condense: () => {
      queueMicrotask(() => abort.abort(reason));
      return new Promise(() => undefined);
    },
  };
  await expect(condenseUntilSettled(hangs, host, { signal: abort.signal })).rejects.toBe(reason);
  expect(appended).toEqual([]);
});

test('a condenser that hangs is given up at the deadline, reported, and held back until the view has grown', async () => {
  const { log, host, projection, appended } = session();
  const signals: (AbortSignal | undefined)[] = [];
  const hangs: Condenser = {
    name: 'hangs',
    condense: (_, { signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    },
  };
  const settled = () => condenseUntilSettled(hangs, host, { condenserTimeoutMs: 1 });
  await expect(settled()).rejects.toBeInstanceOf(CondenserTimeoutError);
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  expect(appended).toMatchObject([{ condenser: 'hangs', outcome: 'timed-out', data: { events: 12 } }]);
  expect(await settled()).toBe(projection.view);
  projection.append(log.create('condensation-request', {}));
  // The request is settled, and the condenser is not asked.
  expect((await settled()).unhandledCondensationRequest).toBe(false);
  expect(signals).toHaveLength(1);
  for (let index = 0; index < 4; index++) projection.append(log.agent('more'));
  await expect(settled()).rejects.toThrow("The condenser 'hangs' did not decide within 1 ms.");
  expect(signals).toHaveLength(2);
});

test('no deadline is shorter than the own one of the condenser, or of its stages', async () => {
  const { host, projection } = session();
  const slow = (view: View) => new Promise<View>((resolve) => setTimeout(() => resolve(view), 5));
  const stage: Condenser = { name: 'stage', timeoutMs: 10_000, condense: (view) => view };
  for (const own of [{ timeoutMs: 10_000 }, { stages: [stage, stage] }]) {
    const condenser: Condenser = { name: 'slow', ...own, condense: slow };
    expect(await condenseUntilSettled(condenser, host, { condenserTimeoutMs: 1 })).toBe(projection.view);
  }
});

test('with a signal that is aborted already nothing is asked and nothing appended', async () => {
  const { host, appended } = session();
  const reason = new Error('nobody waits');
  const signal = AbortSignal.abort(reason);
  let calls = 0;
  const counts: Condenser = {
    name: 'counts',
    condense: (view, context) => {
      calls++;
      return forgetsOne(3).condense(view, context);
    },
  };
  await expect(condenseUntilSettled(counts, host, { signal })).rejects.toBe(reason);
  expect([calls, appended]).toEqual([0, []]);
});

test('an abort between two condensations ends the loop', async () => {
  const { host, types } = session();
  const abort = new AbortController();
  const log = {
    get view() {
      return host.view;
    },
    append: async (event: Event) => {
      await host.append(event);
      abort.abort(new Error('enough'));
    },
  };
  await expect(condenseUntilSettled(forgetsOne(3), log, { signal: abort.signal })).rejects.toThrow('enough');
  expect(types()).toEqual(['condensation']);
});

test('a report that is no valid event does not hide what the condenser throws', async () => {
  const { host, appended } = session();
  const condenser: Condenser = {
    name: 'careless',
    condense: (_, { report }) => {
      report?.({ outcome: 'failed' } as AttemptReport);
      report?.({ outcome: 'failed', reason: 'no answer', data: { retry: () => undefined } });
      report?.({ outcome: 'failed', reason: 'no answer' });
      throw new TypeError('broken');
    },
  };
  await expect(condenseUntilSettled(condenser, host)).rejects.toThrow('broken');
  expect(appended).toMatchObject([
    { condenser: 'careless', outcome: 'invalid-report', reason: expect.stringContaining('reason') as string },
    { condenser: 'careless', outcome: 'invalid-report', reason: expect.stringContaining('retry') as string },
    { condenser: 'careless', outcome: 'failed', reason: 'no answer' },
  ]);
});

test('what is no log with a view is refused, and the error says what is', async () => {
  const { projection } = session();
  const eventLog = new EventLog('one');
  for (const log of [eventLog, {}, undefined, projection.view]) {
    const settled = condenseUntilSettled(forgetsOne(3), log as never);
    await expect(settled).rejects.toThrow(InvalidCondensedLogError);
    await expect(settled).rejects.toThrow('it has no `view`. Pass a ViewProjection, or an object');
  }
  const readOnly = { view: projection.view };
  await expect(condenseUntilSettled(forgetsOne(3), readOnly as never)).rejects.toThrow('it has no `append`');
});
