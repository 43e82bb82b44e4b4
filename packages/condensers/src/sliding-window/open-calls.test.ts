import type { LLMConvertibleEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { readingSummarizer, Session } from '../../test-support/window-session.js';
import { slidingWindowCondenser } from './sliding-window.js';
import { settledPrefix } from './window-plan.js';

describe('the longest settled prefix', () => {
  const never = (_index: number): boolean => false;

  function lengthOf(write: (log: ReturnType<typeof logBuilder>) => void, length?: number, isAbandoned = never) {
    const log = logBuilder();
    write(log);
    const events = log.events as readonly LLMConvertibleEvent[];
    return settledPrefix(View.fromEvents(events), events, length ?? events.length, isAbandoned).length;
  }

  test('a call that waits blocks itself and all behind it', () => {
    expect(
      lengthOf((log) => {
        log.user('a');
        log.action('approve');
        log.agent('b');
      }),
    ).toBe(1);
  });

  test('a call that waits at the very beginning leaves nothing', () => {
    expect(lengthOf((log) => [log.action('approve'), log.agent('b')])).toBe(0);
  });

  test('an answered pair settles', () => {
    expect(lengthOf((log) => [log.call('run'), log.agent('b')])).toBe(3);
  });

  test('an earlier settled part goes, and a later one waits', () => {
    expect(lengthOf((log) => [log.call('run'), log.action('approve'), log.call('run')])).toBe(2);
  });

  test('of two parallel calls both must be answered', () => {
    expect(lengthOf((log) => log.batch([{ name: 'a', result: 'x' }, { name: 'b' }]))).toBe(0);
    expect(
      lengthOf((log) =>
        log.batch([
          { name: 'a', result: 'x' },
          { name: 'b', result: 'y' },
        ]),
      ),
    ).toBe(4);
  });

  test('a result that stands behind the window holds its call back, and counts once it is inside', () => {
    const write = (log: ReturnType<typeof logBuilder>) => {
      log.user('a');
      const action = log.action('approve');
      log.agent('waiting');
      log.user('b');
      log.observation(action, 'approved');
    };
    expect(lengthOf(write, 4)).toBe(1);
    expect(lengthOf(write, 5)).toBe(5);
  });

  test('an abandoned call holds nothing back', () => {
    expect(
      lengthOf(
        (log) => [log.action('approve'), log.agent('b')],
        2,
        () => true,
      ),
    ).toBe(2);
  });

  test('a call id that is used again is another call', () => {
    const write = (log: ReturnType<typeof logBuilder>) => {
      log.action({ name: 'approve', id: 'same' });
      log.observation(log.action({ name: 'run', id: 'same' }), 'done');
    };
    expect(lengthOf(write)).toBe(0);
    expect(lengthOf(write, 3, (index) => index === 0)).toBe(3);
  });

  test('a second call with the id of an open one is not the one that is answered', () => {
    const write = (log: ReturnType<typeof logBuilder>) => {
      const { llmResponseId, ...first } = log.action({ name: 'run', id: 'same' }, { llmResponseId: 'one' });
      log.action({ name: 'run', id: 'same' }, { llmResponseId });
      log.observation({ ...first, llmResponseId }, 'done');
    };
    expect(lengthOf(write, 3, (index) => index === 1)).toBe(3);
  });

  test('the calls that hold back are named', () => {
    const log = logBuilder();
    log.user('a');
    const waiting = log.action('approve');
    log.agent('b');
    const events = log.events as readonly LLMConvertibleEvent[];
    expect(settledPrefix(View.fromEvents(events), events, 3, never)).toEqual({ length: 1, openCallIds: [waiting.id] });
  });
});

/** Requests 1 to 3, of which the second has made a call that has no result when it ends. */
async function withOpenCall(interval = 3) {
  const { summarizer, inputs } = readingSummarizer();
  const session = new Session(slidingWindowCondenser({ compactionInterval: interval, overlapSize: 1, summarizer }));
  await session.run(1);
  await session.request();
  await session.step();
  const call = session.log.action({ name: 'ask_for_approval' });
  session.answer();
  await session.run(1);
  return { session, inputs, call };
}

describe('a window with an open call', () => {
  test('ends before it, and goes on there when the result has come', async () => {
    const { session, call, inputs } = await withOpenCall();
    await session.request();
    expect(session.windows).toEqual(['3: S(1-2)']);
    expect(session.made[0]?.metadata).toMatchObject({ openCallIds: [call.id] });
    expect(session.view.indexOf(call.id)).toBeDefined();

    session.log.observation(call, 'approved');
    session.answer();
    await session.run(2);
    await session.request();
    // New are the rest of 2, 3 and 4: with the overlap all of 1 to 4 is read as it was logged.
    expect(session.windows.at(-1)).toBe('4: S(1-4)');
    expect(inputs.at(-1)?.events.filter(({ id }) => id === call.id)).toHaveLength(1);
    expect(session.view.indexOf(call.id)).toBeUndefined();
    expect(messageViolations(session.view.toMessages())).toEqual([]);
  });

  test('stays whole with its result when the result comes late, and the model reads both until then', async () => {
    const { session, call } = await withOpenCall();
    await session.request();
    const late = session.log.observation(call, 'approved');
    expect(session.view.leftOut.has(late.id)).toBe(false);
    expect(JSON.stringify(session.view.toMessages())).toContain('approved');
  });

  test('goes on without the result once as many more invocations as the interval are completed', async () => {
    const { session, call } = await withOpenCall();
    await session.run(1);
    expect(session.view.indexOf(call.id)).toBeDefined();
    await session.run(1);
    await session.request();
    expect(session.view.indexOf(call.id)).toBeUndefined();
    expect(session.windows.at(-1)).toBe('5: S(1-5)');
  });

  test('that holds back everything is reported once for each request of the user', async () => {
    const { summarizer } = readingSummarizer();
    const session = new Session(slidingWindowCondenser({ compactionInterval: 2, overlapSize: 0, summarizer }));
    await session.request();
    const call = session.log.action('ask_for_approval');
    session.answer();
    await session.run(1);
    await session.request();
    await session.step();
    await session.step();
    expect(session.made).toEqual([]);
    const blocked = session.attempts.filter(({ outcome }) => outcome === 'blocked');
    expect(blocked).toHaveLength(1);
    expect(blocked[0]).toMatchObject({ data: { condenser: 'slidingWindow', openCallIds: [call.id] } });
    expect(blocked[0]?.reason).toContain(call.id);
    session.answer();
    await session.request();
    expect(session.windows).toEqual(['3: S(1-3)']);
  });
});

test('a call that waits for its result in the running invocation is not touched', async () => {
  const { summarizer } = readingSummarizer();
  const session = new Session(slidingWindowCondenser({ tokenThreshold: 100, eventRetentionSize: 0, summarizer }));
  session.log.user('request 1 ' + 'please '.repeat(100));
  session.log.call('run', {}, 'output '.repeat(100));
  const call = session.log.action('ask_for_approval');
  await session.condense();
  expect(session.made).toHaveLength(1);
  expect(session.view.indexOf(call.id)).toBeDefined();
  session.log.observation(call, 'approved');
  expect(messageViolations(session.view.toMessages())).toEqual([]);
});
