import { createEvent } from '@palimpsest/events';
import { View } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { readingSummarizer, Session } from '../../test-support/window-session.js';
import { slidingWindowCondenser } from './sliding-window.js';
import type { SlidingWindowOptions } from './sliding-window.js';
import { promptSize } from './window-triggers.js';

function byTokens(
  options: Partial<SlidingWindowOptions> & Pick<SlidingWindowOptions, 'tokenThreshold'>,
  goesOn?: Session,
) {
  const { summarizer, inputs } = readingSummarizer();
  const session = new Session(slidingWindowCondenser({ eventRetentionSize: 4, summarizer, ...options }), { goesOn });
  return { session, inputs };
}

describe('the threshold', () => {
  test('equality fires, one more does not', async () => {
    const plain = new Session();
    await plain.run(5);
    await plain.request();
    const tokens = plain.view.tokens();
    for (const [tokenThreshold, windows] of [
      [tokens + 1, 0],
      [tokens, 1],
    ] as const) {
      const { session } = byTokens({ tokenThreshold }, plain);
      await session.condense();
      expect(session.made).toHaveLength(windows);
    }
  });

  test('what the provider counted goes before the estimate, until the next condensation', () => {
    const log = new Session().log;
    log.user('x'.repeat(400));
    const size = () => promptSize(View.fromEvents(log.events), {});
    const estimate = View.fromEvents(log.events).tokens();
    expect(size()).toBe(estimate);
    const usage = { uncachedInputTokens: 500, cacheReadTokens: 300, cacheWriteTokens: 100, outputTokens: 50 };
    log.usage({ usage, estimatedInputTokens: estimate });
    expect(size()).toBe(900);
    log.usage({ usage: { ...usage, uncachedInputTokens: 9_000 }, purpose: 'slidingWindow' });
    expect(size()).toBe(900);
    log.agent('y'.repeat(400));
    expect(size()).toBe(900 + 104);
    log.usage({ usage: { ...usage, uncachedInputTokens: 9_000 } });
    log.usage({ usage: { ...usage, uncachedInputTokens: 49_600 }, estimatedInputTokens: 50_000 });
    expect(size()).toBe(900 + 104);
    log.condensation([], { redactions: [] });
    expect(size()).toBe(estimate + 104);
  });

  test('what is sent beside the view counts', async () => {
    const { session } = byTokens({ tokenThreshold: 5_000 });
    await session.run(3);
    await session.request();
    expect(session.made).toEqual([]);
    await session.condense({ fixedTokens: 4_900 });
    expect(session.made).toHaveLength(1);
  });
});

describe('the retention', () => {
  test('the newest events stay, as many as it says', async () => {
    const plain = new Session();
    await plain.run(4);
    await plain.request();
    const { session } = byTokens({ tokenThreshold: 1, eventRetentionSize: 6 }, plain);
    await session.condense();
    // Of request 3 the answer, request 4 with its three events, and the live request.
    expect(session.shown).toEqual([
      'system-prompt',
      'request 1',
      'S(1-3)',
      'answer 3',
      'request 4',
      'action',
      'observation',
      'answer 4',
      'request 5',
    ]);
  });

  test('no more events than it says: nothing happens', async () => {
    const { session } = byTokens({ tokenThreshold: 1, eventRetentionSize: 9 });
    await session.run(2);
    await session.request();
    expect(session.made).toEqual([]);
  });

  test('moves to before a batch of parallel calls rather than into it', async () => {
    const { session } = byTokens({ tokenThreshold: 1, eventRetentionSize: 4 });
    session.log.user('request 1 ' + 'please '.repeat(20));
    session.log.call('run', {}, 'output '.repeat(30));
    session.log.batch(['a', 'b', 'c'].map((name) => ({ name, result: 'output '.repeat(20) })));
    session.log.user('steer');
    await session.condense();
    expect(session.shown).toEqual([
      'system-prompt',
      'request 1',
      'S(1)',
      ...['action', 'action', 'action', 'observation', 'observation', 'observation'],
      'steer',
    ]);
    expect(messageViolations(session.view.toMessages())).toEqual([]);
  });

  test.each([0, 1])('a retention of %i never drops the live request or the newest step', async (eventRetentionSize) => {
    const plain = new Session();
    await plain.run(2);
    await plain.request();
    await plain.step();
    await plain.step('the newest output '.repeat(20));
    const { session } = byTokens({ tokenThreshold: 1, eventRetentionSize }, plain);
    await session.condense();
    expect(session.shown).toEqual(['system-prompt', 'request 1', 'request 3', 'S(1-3)', 'action', 'observation']);
  });

  test('with retention 0 and nothing but a new request, the completed ones go', async () => {
    const { session } = byTokens({ tokenThreshold: 1, eventRetentionSize: 0 });
    session.log.user('request 1 ' + 'please '.repeat(30));
    session.log.agent('answer 1 ' + 'done '.repeat(30));
    session.log.user('request 2');
    await session.condense();
    expect(session.shown).toEqual(['system-prompt', 'request 1', 'S(1)', 'request 2']);
  });
});

describe('rolling', () => {
  test('the latest summary is the seed of the next, which takes its place; later windows go by ids', async () => {
    const { session, inputs } = byTokens({ tokenThreshold: 340, eventRetentionSize: 2 });
    await session.run(8);
    expect(session.made.length).toBeGreaterThan(2);
    expect(session.shown.filter((text) => text.startsWith('S('))).toHaveLength(1);
    const [first, second] = session.made;
    expect(inputs[1]?.previousSummary).toBe(first?.summary);
    expect(second?.metadata).toMatchObject({ reason: 'tokens', replaces: [first?.id] });
    const covered = session.made.flatMap(({ metadata }) => metadata?.['coveredEventIds'] as string[]);
    expect(new Set(covered).size).toBe(covered.length);
  });

  test('what was left standing, because it was the live request, goes when it is no more', async () => {
    const { session } = byTokens({ tokenThreshold: 330, eventRetentionSize: 0 });
    await session.run(2);
    await session.request();
    for (let step = 0; step < 6; step++) await session.step();
    expect(session.shown).toContain('request 3');
    expect(session.shown.indexOf('request 3')).toBeLessThan(session.shown.findIndex((text) => text.startsWith('S(')));
    session.answer();
    await session.request();
    for (let step = 0; step < 6; step++) await session.step();
    expect(session.shown).not.toContain('request 3');
    expect(session.shown.filter((text) => text.startsWith('request'))).toEqual(['request 1', 'request 4']);
  });

  test('a summary of an older range whose condensation came last is the seed, and what is behind it is read again', async () => {
    const plain = new Session();
    await plain.run(6);
    const { session, inputs } = byTokens({ tokenThreshold: 1, eventRetentionSize: 1 }, plain);
    const ids = (from: number, to: number) => [...plain.view.events].slice(from, to).map(({ id }) => id);
    const record = (from: number, to: number, start: number, summary: string) =>
      createEvent('condensation', {
        forgottenEventIds: ids(from, to),
        summary,
        metadata: {
          condenser: 'slidingWindow',
          reason: 'interval',
          coveredEventIds: ids(from, to),
          invocations: [{ start: ids(start, start + 1)[0], events: to - from }],
        },
      });
    session.add(record(13, 17, 13, 'S(later)'), record(5, 9, 5, 'S(older)'));
    session.log.user('request 7');
    await session.condense();
    expect(inputs[0]?.previousSummary).toBe('S(older)');
    expect(inputs[0]?.events.map(({ id }) => id)).toEqual(ids(9, 25));
    expect(session.shown.filter((text) => text.startsWith('S('))).toEqual(['S(3-6)']);
  });
});

describe('with windows of invocations too', () => {
  test('tokens go first, and no window is made until the next request of the user', async () => {
    const plain = new Session();
    await plain.run(6);
    await plain.request();
    const options = { tokenThreshold: 550, eventRetentionSize: 4, compactionInterval: 1, overlapSize: 0 };
    const { session } = byTokens(options, plain);
    await session.condense();
    expect(session.made.map(({ metadata }) => metadata?.['reason'])).toEqual(['tokens']);
    await session.step();
    expect(session.made).toHaveLength(1);
    session.answer();
    await session.request();
    expect(session.made.map(({ metadata }) => metadata?.['reason'])).toEqual(['tokens', 'interval']);
    // The summaries stay side by side; the request that was going on, left standing until then, goes.
    expect(session.made[1]?.metadata?.['replaces']).toEqual([]);
    expect(session.shown).toEqual(['system-prompt', 'request 1', 'S(1-6)', 'S(6-7)', 'request 8']);
  });
});

test('when little could go, nothing does: no chain of tiny steps', async () => {
  const { session, inputs } = byTokens({ tokenThreshold: 1, eventRetentionSize: 2 });
  session.log.user('request 1 ' + 'please '.repeat(2_000));
  session.log.call('run', {}, 'a');
  session.log.call('run', {}, 'b');
  await session.condense();
  expect(inputs).toEqual([]);
});
