import type { Event, ThinkingBlock } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callHistory, withoutRepeatedIds } from '../testing/call-history.js';
import { messageViolations } from '../testing/message-violations.js';
import { randomLog } from '../testing/random-log.js';
import { seededRandom } from '../testing/random.js';
import { View } from '../view-projection.js';
import { CutPointList } from './cut-points.js';

const thinkingBlocks: readonly ThinkingBlock[] = [{ type: 'thinking', thinking: 'T', signature: 's' }];
const cutsOf = (events: readonly Event[], thinking: 'prefix-bound' | 'latest-turn' = 'latest-turn') => [
  ...View.fromEvents(events, { thinking }).cutPoints,
];

describe('a tool loop in latest-turn', () => {
  test('goes from thinking to the last call before words, and may be cut in prefix-bound', () => {
    const log = logBuilder();
    log.user('Go.');
    log.call('read', {}, 'one', { thinkingBlocks });
    log.call('read', {}, 'two');
    log.agent('Done.');
    log.call('read', {}, 'three');
    expect(cutsOf(log.events)).toEqual([0, 1, 5, 6, 8]);
    expect(cutsOf(log.events, 'prefix-bound')).toEqual([0, 1, 3, 5, 6, 8]);
  });

  test('is begun anew by other thinking, and holds nothing together once its thinking is stale', () => {
    const log = logBuilder();
    const go = log.user('Go.');
    log.user('Really.');
    log.call('read', {}, 'one', { thinkingBlocks });
    log.call('read', {}, 'two', { thinkingBlocks });
    log.call('read', {}, 'three');
    expect(cutsOf(log.events)).toEqual([0, 1, 2, 4, 8]);
    log.condensation([go.id]);
    expect(cutsOf(log.events)).toEqual([0, 1, 3, 5, 7]);
  });

  test('that an open batch continues cannot be cut, one that words have ended can', () => {
    const log = logBuilder();
    log.user('Go.');
    log.call('read', {}, 'one', { thinkingBlocks });
    log.action('run');
    expect(cutsOf(log.events)).toEqual([0, 1]);
    log.user('And?');
    expect(cutsOf(log.events)).toEqual([0, 1]);

    const ended = logBuilder();
    ended.user('Go.');
    ended.call('read', {}, 'one', { thinkingBlocks });
    ended.user('And?');
    ended.action('run');
    expect(cutsOf(ended.events)).toEqual([0, 1, 3, 4]);
  });

  test('an open batch with thinking of its own ends the loop before it', () => {
    const log = logBuilder();
    log.user('Go.');
    log.call('read', {}, 'one', { thinkingBlocks });
    log.action('run', { thinkingBlocks });
    expect(cutsOf(log.events)).toEqual([0, 1, 3]);
  });

  test('goes on through a late pair, up to its result', () => {
    const log = logBuilder();
    log.user('Go.');
    const slow = log.action('build', { llmResponseId: 'a' });
    log.call('read', {}, 'one', { thinkingBlocks });
    log.observation(slow);
    log.call('read', {}, 'two');
    log.user('Thanks.');
    expect(cutsOf(log.events)).toEqual([0, 1, 2, 7, 8]);

    const last = logBuilder();
    const slower = last.action('build', { llmResponseId: 'a' });
    last.call('read', {}, 'one', { thinkingBlocks });
    last.observation(slower);
    last.user('Thanks.');
    expect(cutsOf(last.events)).toEqual([0, 1, 4, 5]);
  });

  test('words inside a batch are sent after it, and end its loop', () => {
    const log = logBuilder();
    log.user('Go.');
    const first = log.action('read', { llmResponseId: 'a', thinkingBlocks });
    log.environment('The branch changed.');
    log.observation(first);
    log.call('read', {}, 'two');
    expect(cutsOf(log.events)).toEqual([0, 1, 4, 6]);
  });
});

test('what lies outside two cut points is still sent without what lies between, but for the half of a late pair', () => {
  const options = fc.record({
    seed: fc.nat(1_000_000),
    dirty: fc.boolean(),
    thinking: fc.constantFrom('prefix-bound', 'latest-turn'),
  });
  fc.assert(
    fc.property(options, ({ seed, dirty, thinking }) => {
      const { events } = randomLog({ seed, dirty, length: 40 });
      const history = callHistory(withoutRepeatedIds(events));
      const view = View.fromEvents(events, { thinking });
      const random = seededRandom(seed);
      const cuts = [...view.cutPoints];
      const [from = 0, to = 0] = [random.pick(cuts) ?? 0, random.pick(cuts) ?? 0].sort((a, b) => a - b);
      const removed = new Set(view.events.slice(from, to).map(({ id }) => id));
      const rest = view.without(removed);
      expect(rest.events).toEqual(view.events.filter(({ id }) => !removed.has(id)));
      expect(messageViolations(rest.toMessages())).toEqual([]);
      for (const { id } of rest.events) {
        if (view.leftOut.has(id) || !rest.leftOut.has(id)) continue;
        const call = history.byEvent.get(id);
        expect(call?.late, `${id} is no longer sent`).toBe(true);
        expect(removed.has(call?.action.id ?? '') || removed.has(call?.result?.id ?? '')).toBe(true);
      }
    }),
    { seed: 20_261_122, numRuns: 120 },
  );
});

test('an event with two keys joins the run that begins first', () => {
  const log = logBuilder();
  for (const words of ['A', 'B', 'AB', 'C']) log.user(words);
  const holds = (key: string) => (event: Event) =>
    event.type === 'message' && JSON.stringify(event.content).includes(key) ? key : undefined;
  const properties = [holds('A'), holds('B')];
  expect([...View.fromEvents(log.events, { properties }).cutPoints]).toEqual([0, 3, 4]);
  expect([...View.fromEvents(log.events, { properties: properties.toReversed() }).cutPoints]).toEqual([0, 3, 4]);
});

test('the list of cut points is searched as an array is', () => {
  const cuts = [0, 2, 3, 7];
  const list = new CutPointList(cuts);
  const indices = [-1, 0, 0.5, 1, 2, 3, 4, 6, 7, 8];
  expect([...list]).toEqual(cuts);
  expect(indices.filter((index) => list.has(index))).toEqual(cuts);
  expect(indices.map((index) => list.atOrAfter(index))).toEqual(indices.map((at) => cuts.find((cut) => cut >= at)));
  expect(indices.map((index) => list.atOrBefore(index))).toEqual(
    indices.map((at) => cuts.findLast((cut) => cut <= at)),
  );
});
