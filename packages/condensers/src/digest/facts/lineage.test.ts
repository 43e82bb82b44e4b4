import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import type { Fact } from './fact.js';
import { lineageOf } from './lineage.js';
import type { Lineage } from './lineage.js';

const file = (path: string): Fact => ({ kind: 'file', path, operation: 'read' });

/** Two of ours, then one of another condenser over them, then one of ours over that. */
function generations() {
  const log = logBuilder();
  const one = log.call('read', { path: '1' });
  const first = log.condensation([one.action, one.result], {
    summary: 'first',
    summaryOffset: 0,
    metadata: { facts: [file('1')], replaces: [], coveredEvents: 2 },
  });
  const two = log.call('read', { path: '2' });
  const second = log.condensation([two.action, two.result, `${first.id}-summary`], {
    summary: 'second',
    summaryOffset: 0,
    metadata: { facts: [file('2')], replaces: [first.id], coveredEvents: 4 },
  });
  return { log, first, second };
}

const summaries = (view: View) => [...view.events].filter((event) => event.type === 'condensation-summary');
const paths = ({ manifest }: Lineage) => manifest.files.map(({ path }) => path);

test('without summaries there is nothing', () => {
  const lineage = lineageOf(View.fromEvents([]), []);
  expect(lineage).toMatchObject({ newFacts: [], replaces: [], coveredEvents: 0 });
  expect(paths(lineage)).toEqual([]);
});

test('the facts of all generations come in the order of the log, and only the latest is named', () => {
  const { log, second } = generations();
  const view = View.fromEvents(log.events);
  const lineage = lineageOf(view, summaries(view));
  expect(paths(lineage)).toEqual(['1', '2']);
  expect(lineage).toMatchObject({ newFacts: [], replaces: [second.id], coveredEvents: 4 });
});

test('through the summary of another condenser the facts before it are still reached', () => {
  const { log, second } = generations();
  const three = log.call('read', { path: '3' }, 'text');
  const other = log.condensation([three.action, three.result, `${second.id}-summary`], {
    summary: 'by a model',
    summaryOffset: 0,
  });
  const view = View.fromEvents(log.events);
  const lineage = lineageOf(view, summaries(view));
  expect(paths(lineage)).toEqual(['1', '2', '3']);
  expect(lineage.newFacts).toContainEqual({ kind: 'earlier-summary', eventId: other.id });
  expect(lineage).toMatchObject({ replaces: [second.id], coveredEvents: 6 });
});

test('a condensation that was reverted counts for nothing', () => {
  const { log, first, second } = generations();
  log.revert(second);
  const view = View.fromEvents(log.events);
  expect(lineageOf(view, summaries(view))).toMatchObject({ replaces: [first.id], coveredEvents: 2 });
  expect(paths(lineageOf(view, [{ condensationId: second.id }]))).toEqual([]);
});

test('metadata that says nonsense does no harm', () => {
  const log = logBuilder();
  const loop = log.condensation([log.agent('x')], {
    summary: 's',
    metadata: { facts: [], replaces: ['gone', 7], coveredEvents: 'many' },
  });
  const view = View.fromEvents(log.events);
  expect(lineageOf(view, [{ condensationId: loop.id }, { condensationId: 'unknown' }, {}])).toMatchObject({
    newFacts: [],
    replaces: [loop.id],
    coveredEvents: 1,
  });
});
