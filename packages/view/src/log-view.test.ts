import type { LLMConvertibleEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { View, estimateTokens, redactedCopy } from './index.js';
import { viewOfLog } from './log-view.js';
import { outline } from './testing/outline.js';
import { randomLog } from './testing/random-log.js';

const thinkingBlocks = [{ type: 'thinking', thinking: 'T', signature: 's' }] as const;

/** 0 user, 1–2 call, 3–4 call with thinking, 5 user; behind it a note and a condensation request. */
function log() {
  const builder = logBuilder();
  builder.user('Go.');
  builder.call('run', { n: 1 }, 'one');
  builder.call('run', { n: 2 }, 'two', { thinkingBlocks });
  builder.user('And?');
  builder.custom('acme/note');
  builder.request();
  return builder;
}

function masked(view: View, id: string, text = 'X'): LLMConvertibleEvent {
  const event = view.events.at(view.indexOf(id) ?? 99);
  const copy = event === undefined ? undefined : redactedCopy(event, { text, arguments: '{}' });
  if (copy === undefined) throw new Error(`${id} cannot be masked`);
  return copy;
}

describe('replace', () => {
  const view = View.fromEvents(log().events);

  test('copies stand in the place of events; everything else is carried over', () => {
    const derived = view.replace(new Map([['event-3', { event: masked(view, 'event-3') }]]));
    expect(outline(derived.toMessages())[2]).toBe('tool call-1: X');
    expect(outline(view.toMessages())[2]).toBe('tool call-1: one');
    expect(derived.original('event-3')).toBe(view.original('event-3'));
    expect(derived.events.at(2)).toMatchObject({ redacted: true, id: 'event-3', toolCallId: 'call-1' });
    expect([...derived.cutPoints]).toEqual([...view.cutPoints]);
    expect([...derived.internalEvents]).toEqual([...view.internalEvents]);
    expect(derived.unhandledCondensationRequest).toBe(true);
    expect(viewOfLog(derived)).toBe(view);
    expect(derived.tokens()).toBe([...derived.events].reduce((sum, event) => sum + estimateTokens(event), 0));
  });

  test('ids that are not there, and an event by itself, change nothing', () => {
    const event = view.events.at(0) as LLMConvertibleEvent;
    expect(
      view.replace(
        new Map([
          ['no-such-event', { event }],
          ['event-1', { event }],
        ]),
      ),
    ).toBe(view);
  });

  test('a copy keeps the id of what it replaces', () => {
    const event = { ...masked(view, 'event-3'), id: 'another' };
    const derived = view.replace(new Map([['event-3', { event }]]));
    expect(derived.indexOf('event-3')).toBe(2);
    expect(derived.indexOf('another')).toBeUndefined();
  });

  test('thinking made before a copy took effect and standing after it is left out in prefix-bound', () => {
    const thinks = (effectiveFrom?: string) => {
      const change = { event: masked(view, 'event-3'), effectiveFrom };
      const messages = view.replace(new Map([['event-3', change]])).toMessages();
      return outline(messages).some((line) => line.includes(' T '));
    };
    expect(thinks('event-2')).toBe(true);
    expect(thinks('event-7')).toBe(false);
    expect(thinks()).toBe(false);
    expect(thinks('no-such-event')).toBe(false);
  });

  test('a copy that reads the same, or of what is not sent, makes no thinking stale', () => {
    const builder = log();
    const orphan = builder.create('observation', { toolCallId: 'of-nobody', toolName: 'run', content: [] });
    const withOrphan = View.fromEvents([...builder.events.slice(0, 3), orphan, ...builder.events.slice(3)]);
    const changes = new Map([
      [orphan.id, { event: masked(withOrphan, orphan.id) }],
      ['event-3', { event: masked(withOrphan, 'event-3', 'one') }],
    ]);
    const lines = outline(withOrphan.replace(changes).toMessages());
    expect(lines.filter((line) => line.includes(' T '))).toHaveLength(1);
  });
});

describe('without', () => {
  test('the order in which events are named does not count, nor whether they are neighbours', () => {
    const anIds = fc.nat(1_000).chain((seed) => {
      const random = View.fromEvents(randomLog({ seed, length: 40 }).events);
      const ids = [...new Set([...random.events].map(({ id }) => id))];
      const range = fc.tuple(fc.nat(ids.length), fc.nat(ids.length)).map(([from, to]) => ids.slice(from, to));
      return fc.tuple(
        fc.constant(random),
        fc.oneof(range, fc.subarray(ids), fc.shuffledSubarray([...ids, 'no-such-event'])),
      );
    });
    fc.assert(
      fc.property(anIds, ([random, named]) => {
        const ids = new Set(named);
        const derived = random.without(ids);
        expect([...derived.events]).toEqual([...random.events].filter(({ id }) => !ids.has(id)));
        expect([...derived.cutPoints]).toEqual([...random.without(new Set([...named, 'unknown'])).cutPoints]);
        expect(derived === random).toBe(![...random.events].some(({ id }) => ids.has(id)));
      }),
    );
  });

  const view = View.fromEvents(log().events);

  test('the view without some events', () => {
    const derived = view.without(new Set(['event-2', 'event-3', 'no-such-event']));
    expect([...derived.events].map(({ id }) => id)).toEqual(['event-1', 'event-4', 'event-5', 'event-6']);
    expect([...derived.cutPoints]).toEqual([0, 1, 3, 4]);
    expect(outline(derived.toMessages())).toEqual([
      'user: Go.',
      'assistant: (call-2)',
      'tool call-2: two',
      'user: And?',
    ]);
    expect(viewOfLog(derived)).toBe(view);
    expect(derived.original('event-2')).toBeDefined();
  });

  test('views are made from views, and know the stored one', () => {
    const derived = view
      .without(new Set(['event-6']))
      .replace(new Map([['event-3', { event: masked(view, 'event-3') }]]));
    expect(viewOfLog(derived)).toBe(view);
    expect(outline(derived.toMessages())).toEqual([
      'user: Go.',
      'assistant: (call-1)',
      'tool call-1: X',
      'assistant: (call-2)',
      'tool call-2: two',
    ]);
  });

  test('a part of a batch leaves the rest of it unsent, with the reason', () => {
    const derived = view.without(new Set(['event-3']));
    expect([...derived.leftOut]).toEqual([['event-2', 'a part of its batch is forgotten']]);
  });
});

describe('what else a view tells', () => {
  test('tokens: prefix sums of the stored list, by the estimate that it was given', () => {
    const view = View.fromEvents(log().events, { estimateTokens: ({ type }) => (type === 'message' ? 10 : 1) });
    expect(view.tokens()).toBe(24);
    expect(view.tokens(1)).toBe(14);
    expect(view.tokens(1, 3)).toBe(2);
    expect(view.tokens(-5, 99)).toBe(24);
    expect(view.tokens(4, 2)).toBe(0);
  });

  test('events: length, at, slice, iteration', () => {
    const { events } = View.fromEvents(log().events);
    expect(events).toHaveLength(6);
    expect([events.at(0)?.id, events.at(-1)?.id, events.at(6), events.at(-7)]).toEqual([
      'event-1',
      'event-6',
      undefined,
      undefined,
    ]);
    expect(events.slice(-2).map(({ id }) => id)).toEqual(['event-5', 'event-6']);
    expect(events.slice(1, -4).map(({ id }) => id)).toEqual(['event-2']);
    expect([...events]).toEqual(events.slice());
  });

  test('originals: what is forgotten and redacted too, and internal events; not what comes later', () => {
    const builder = log();
    const condensed = builder.condensation(['event-2', 'event-3'], { redactions: [{ eventId: 'event-5', text: 'X' }] });
    const view = View.fromEvents(builder.events);
    builder.user('Later.');
    expect(view.original('event-2')).toMatchObject({ type: 'action' });
    expect(view.original('event-5')).toMatchObject({ content: [{ text: 'two' }] });
    expect(view.original(condensed.id)).toBe(condensed);
    expect(view.original('event-10')).toBeUndefined();
    expect(view.indexOf('event-2')).toBeUndefined();
  });

  test('the empty view', () => {
    const view = View.fromEvents([]);
    expect([view.events.length, view.tokens(), [...view.cutPoints], view.toMessages()]).toEqual([0, 0, [0], []]);
    expect(view.unhandledCondensationRequest).toBe(false);
  });
});

describe('calls and results are matched as the fold matches them', () => {
  test('by what stood in the log, where a server repeats its ids', () => {
    const builder = logBuilder();
    builder.user('Go.');
    const first = builder.action({ name: 'run', id: 'same' });
    const one = builder.observation(first, 'one');
    builder.user('Again.');
    const second = builder.action({ name: 'run', id: 'same' });
    const before = View.fromEvents(builder.events);
    const two = builder.observation(second, 'two');
    const view = View.fromEvents(builder.events);
    expect([view.callOf(one.id)?.id, view.callOf(two.id)?.id]).toEqual([first.id, second.id]);
    expect([view.resultOf(first.id)?.id, view.resultOf(second.id)?.id]).toEqual([one.id, two.id]);
    expect(view.resultOf(one.id)?.id).toBe(one.id);
    expect([before.resultOf(second.id), before.callOf(two.id)]).toEqual([undefined, undefined]);
  });

  test('the newest result counts, also one that came after the model had read another', () => {
    const builder = logBuilder();
    builder.user('Go.');
    const call = builder.action('run');
    const early = builder.observation(call, 'started');
    builder.agent('It runs.');
    const late = builder.observation(call, 'done');
    const view = View.fromEvents(builder.events);
    expect([early, late].map(({ id }) => view.callOf(id)?.id)).toEqual([call.id, call.id]);
    expect([view.resultOf(call.id)?.id, view.resultOf(early.id)?.id]).toEqual([late.id, late.id]);
  });

  test('a call that is answered anew after thousands of responses has its newest result', () => {
    const builder = logBuilder();
    builder.user('Go.');
    const call = builder.action('watch');
    const results = [builder.observation(call, 'started')];
    for (let at = 1; at <= 15_000; at++) {
      builder.agent('It runs.');
      results.push(builder.observation(call, `at ${at}`));
    }
    expect(View.fromEvents(builder.events).resultOf(call.id)?.id).toBe(results.at(-1)?.id);
    expect(View.fromEvents(builder.events.slice(0, -3)).resultOf(call.id)?.id).toBe(results.at(-3)?.id);
  });

  test('forgotten events keep theirs; words and results without a call have none', () => {
    const builder = logBuilder();
    const words = builder.user('Go.');
    const call = builder.action('run');
    const result = builder.observation(call, 'done');
    builder.agent('Done.');
    builder.condensation([call.id, result.id]);
    const view = View.fromEvents(builder.events);
    expect(view.indexOf(call.id)).toBeUndefined();
    expect([view.callOf(result.id)?.id, view.resultOf(call.id)?.id]).toEqual([call.id, result.id]);
    expect([view.callOf(words.id), view.resultOf(words.id), view.callOf('nothing')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
