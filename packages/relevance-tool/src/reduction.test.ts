import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { isReducer, newestStep, NoCondensationAvailableError, View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { directive } from '../test-support/directive-builder.js';
import { relevanceCondenser } from './condenser.js';

const big = 'a line of output that nobody needs any more\n'.repeat(40);
const stage = relevanceCondenser({ apply: 'batched' });

/** Three large results, of which the model marks the first two, one call after the other. */
function marked(): LogBuilder {
  const log = logBuilder();
  log.user('a task');
  const [first, second] = [log.call('read', {}, big).result, log.call('read', {}, big).result];
  log.call('read', {}, big);
  directive(log, first);
  directive(log, second);
  log.call('run');
  return log;
}

test('only batched directives are a reducer', () => {
  expect(isReducer(stage)).toBe(true);
  expect(isReducer(relevanceCondenser())).toBe(false);
});

test('the estimate is what reducing does', () => {
  const log = marked();
  const view = View.fromEvents(log.events);
  const reduction = stage.estimate(view, {});
  log.add(stage.reduce(view, {}) as never);
  const after = View.fromEvents(log.events);
  expect(reduction?.savedTokens).toBeCloseTo(view.tokens() - after.tokens(), 5);
  expect(reduction?.savedTokens).toBeGreaterThan(500);
  const first = [...view.events].findIndex(({ type }) => type === 'observation');
  expect(reduction?.rewrittenTokens).toBeCloseTo(after.tokens(first, newestStep(after).start), 5);
  expect(reduction?.savedShare).toBe(0);
  // Between the first directive and this call there are two calls: that of the second directive, and the newest.
  const saved = (reduction?.savedTokens ?? 0) / 2;
  expect(reduction?.readTokens).toBeCloseTo(3 * saved, 5);
  expect(stage.estimate(after, {})).toBeUndefined();
});

test('the condensation names the directives, and the results read as those of a stage of its own', () => {
  const log = marked();
  const view = View.fromEvents(log.events);
  const condensation = stage.reduce(view, {});
  expect(condensation).toMatchObject({ forgottenEventIds: [], metadata: { condenser: 'relevance' } });
  log.add(condensation as never);
  const after = View.fromEvents(log.events);
  const alone = relevanceCondenser().condense(view, {});
  expect(after.toMessages()).toEqual(alone.toMessages());
  expect(stage.show?.(after, {})).toBe(after);
  expect(stage.condense(after, {})).toBe(after);
});

test('the effect is reported once, with what it saves', () => {
  const log = marked();
  const view = View.fromEvents(log.events);
  const savedTokens = stage.estimate(view, {})?.savedTokens ?? 0;
  log.add(stage.reduce(view, {}) as never);
  const reports: unknown[] = [];
  stage.show?.(View.fromEvents(log.events), { report: ({ outcome, data }) => void reports.push([outcome, data]) });
  expect(reports).toMatchObject([['relevance-applied', { eventsMasked: 2, savedTokens }]]);
});

test('on a request, and for what is pinned, gone, forgotten or no shorter, it promises nothing', () => {
  const requested = marked();
  requested.request('overflow');
  const pinned = marked();
  const eventIds = pinned.events.filter(({ type }) => type === 'observation').map(({ id }) => id);
  pinned.custom('view/pin', { eventIds });
  const odd = logBuilder();
  odd.user('a task');
  directive(odd, { id: 'nowhere' });
  directive(odd, odd.call('read', {}, 'short').result);
  odd.call('run');
  for (const { events } of [requested, pinned, odd])
    expect(stage.estimate(View.fromEvents(events), {})).toBeUndefined();
  expect(() => stage.reduce(View.fromEvents(odd.events), {})).toThrow(NoCondensationAvailableError);
});

test('a directive that a condensation of a result has overtaken does not wait', () => {
  const log = marked();
  const target = log.events.find(({ type }) => type === 'observation');
  log.condensation([], { redactions: [{ eventId: target?.id ?? '', text: '<MASKED>' }] });
  const view = View.fromEvents(log.events);
  expect(stage.reduce(view, {})).toMatchObject({ redactions: { length: 1 } });
});
