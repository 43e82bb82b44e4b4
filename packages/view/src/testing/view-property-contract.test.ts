import { logBuilder } from '@palimpsest/events/testing';
import { describe, expect, test } from 'vitest';
import { View, ViewProjection } from '../index.js';
import type { ViewProperty } from '../index.js';
import { viewPropertyContract } from './view-property-contract.js';
import type { ViewPropertyContractOptions } from './view-property-contract.js';

/** Names an application's approvals: a word of the environment before a call, and one behind its result. */
const approvals: ViewProperty = (event) =>
  event.type === 'message' && event.sender?.startsWith('approval/') === true ? event.sender : undefined;

function approvedCalls() {
  const log = logBuilder();
  log.user('Deploy it.');
  for (let call = 1; call <= 6; call++) {
    const sender = `approval/${call}`;
    log.add(
      log.create('message', {
        source: 'environment',
        role: 'user',
        content: [{ type: 'text', text: 'May I?' }],
        sender,
      }),
    );
    log.call('deploy', { call }, 'done');
    log.add(
      log.create('message', { source: 'environment', role: 'user', content: [{ type: 'text', text: 'Yes.' }], sender }),
    );
    if (call % 2 === 0) log.user('And now?');
  }
  return [{ name: 'approved calls', events: log.events }];
}

describe('a property of an application', () => {
  viewPropertyContract({ test, property: approvals, logs: approvedCalls() });
});

const properties: readonly (readonly [string, string, ViewProperty])[] = [
  ['counts', 'gives an event the same key', counting()],
  ['goes by the object', 'gives an event the same key', byObject()],
  ['names numbers', 'gives an event the same key', ((event: { id: string }) => event.id.length) as never],
  ['writes into events', 'gives an event the same key', (event) => void Object.assign(event, { seen: true })],
  [
    'throws',
    'gives an event the same key',
    (event) => {
      throw new Error(event.type);
    },
  ],
  ['names nothing', 'names runs', () => undefined],
];

const folds: readonly (readonly [string, string, NonNullable<ViewPropertyContractOptions['createProjection']>])[] = [
  ['ignores properties', 'cuts between runs', () => new ViewProjection()],
  ['holds everything together', 'cuts between runs', (options) => withCuts(options, (cuts) => cuts.slice(0, 1))],
  [
    'cuts runs at their first event',
    'cuts between runs',
    (options) => withCuts(options, (cuts, view) => [...cuts, view.events.length - 1].sort((a, b) => a - b)),
  ],
  ['asks the property again later', 'leaves what is sent', (options) => live(options)],
];

describe('the contract catches', () => {
  test.each(properties)('a property that %s', async (_, rule, property) => {
    const failures = await failuresOf({ property, logs: approvedCalls(), seeds: [1] }, rule);
    expect(failures).toEqual([expect.stringMatching(/^on /)]);
  });

  test('a property whose runs never close', async () => {
    const log = logBuilder();
    for (let step = 0; step < 70; step++) log.agent(`step ${step}`);
    const failures = await failuresOf(
      { property: () => 'all', logs: [{ name: 'long', events: log.events }], seeds: [] },
      'names runs',
    );
    expect(failures).toEqual([expect.stringContaining('a run of 70 events')]);
  });

  test.each(folds)('a fold that %s', async (_, rule, createProjection) => {
    const failures = await failuresOf(
      { property: approvals, logs: approvedCalls(), seeds: [1], createProjection },
      rule,
    );
    expect(failures).toEqual([expect.stringMatching(/^on /)]);
  });
});

test('a property that fails names no run, and is noted once', () => {
  const log = logBuilder();
  log.user('Go.');
  log.call('run');
  const projection = new ViewProjection({
    properties: [
      () => {
        throw new Error('broken');
      },
      approvals,
    ],
  });
  for (const event of log.events) projection.append(event);
  expect([...projection.view.cutPoints]).toEqual([0, 1, 3]);
  expect([...projection.view.notes].map(({ note }) => note)).toEqual([
    'property 0 failed: broken; where it does so, it names no run (noted once)',
  ]);
});

test.each([
  ['a value of type number', () => 5],
  ['null', () => null],
  ['a value of type object', () => ({})],
  ['a promise', () => Promise.resolve('a')],
  ['a promise', () => Promise.reject(new Error('later'))],
])('a property that gives %s names no run, and is noted once', (what, property) => {
  const log = logBuilder();
  log.user('Go.');
  log.call('run');
  log.call('run');
  const projection = new ViewProjection({ properties: [approvals, property as never] });
  for (const event of log.events) projection.append(event);
  expect([...projection.view.cutPoints]).toEqual([0, 1, 3, 5]);
  expect([...projection.view.notes]).toEqual([
    {
      eventId: log.events[0]?.id,
      note: `property 1 gave ${what}, not a string or undefined; where it does so, it names no run (noted once)`,
    },
  ]);
  expect([...View.fromEvents(log.events, { properties: [property as never] }).notes]).toHaveLength(1);
});

test('what a property throws is noted, whatever it is', () => {
  const property = () => {
    throw Object.create(null);
  };
  const view = View.fromEvents([logBuilder().user('Go.')], { properties: [property] });
  expect(view.notes.at(0)?.note).toContain('property 0 failed: a value of type object');
});

function counting(): ViewProperty {
  let count = 0;
  return () => `${count++}`;
}

function byObject(): ViewProperty {
  const seen = new WeakMap<object, string>();
  let count = 0;
  return (event) => {
    const key = seen.get(event) ?? `${count++}`;
    seen.set(event, key);
    return key;
  };
}

type Options = ConstructorParameters<typeof ViewProjection>[0];

/** A fold whose views have other cut points. */
function withCuts(options: Options, change: (cuts: readonly number[], view: View) => readonly number[]) {
  const projection = new ViewProjection(options);
  return {
    append: (event: Parameters<ViewProjection['append']>[0]) => projection.append(event),
    get view(): View {
      const { view } = projection;
      const cutPoints = change([...view.cutPoints], view);
      return new Proxy(view, { get: (target, name) => (name === 'cutPoints' ? cutPoints : bound(target, name)) });
    },
  };
}

/** A fold whose views always have the cut points of now. */
function live(options: Options) {
  const projection = new ViewProjection(options);
  return {
    append: (event: Parameters<ViewProjection['append']>[0]) => projection.append(event),
    get view(): View {
      const { view } = projection;
      return new Proxy(view, {
        get: (target, name) => (name === 'cutPoints' ? projection.view.cutPoints : bound(target, name)),
      });
    },
  };
}

function bound(target: View, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name, target);
  return typeof value === 'function' ? (value.bind(target) as unknown) : value;
}

/** The messages of the rules that fail, or of one of them. */
async function failuresOf(options: Omit<ViewPropertyContractOptions, 'test'>, rule = ''): Promise<readonly string[]> {
  const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  viewPropertyContract({ ...options, test: (name, run) => tests.push({ name, run }) });
  const failures: string[] = [];
  for (const { name, run } of tests.filter((one) => one.name.startsWith(rule))) {
    await run().catch((error: Error) => failures.push(error.message));
    expect(name).toContain('seeds');
  }
  return failures;
}
