import { createEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { describe, expect, test } from 'vitest';
import { stuckPattern } from './stuck-detection.js';

/** The events since the user's message. */
function after(write: (log: ReturnType<typeof logBuilder>, times: number) => void, times: number): readonly Event[] {
  const log = logBuilder();
  for (let time = 0; time < times; time++) write(log, time);
  return log.events;
}

const same = (log: ReturnType<typeof logBuilder>) => log.call('run', { command: 'ls' }, 'a.ts');
const failing = (log: ReturnType<typeof logBuilder>) => log.error(log.action('run'), 'no such command');

describe('the same action with the same result', () => {
  test('four times is stuck, three times is not', () => {
    expect(stuckPattern(after(same, 3))).toBeUndefined();
    expect(stuckPattern(after(same, 4))).toEqual({ pattern: 'repeated-action', isNudge: false });
  });

  test('with another result each time is progress', () => {
    expect(stuckPattern(after((log, time) => log.call('run', { command: 'ls' }, `${time}`), 9))).toBeUndefined();
  });

  test('G16: what is no part of the conversation takes no room and breaks nothing', () => {
    const noise = () => [
      createEvent('llm-usage', {
        responseId: 'r',
        model: 'm',
        usage: { uncachedInputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 },
      }),
      createEvent('condensation-attempt', { condenser: 'c', outcome: 'o', reason: 'r' }),
      createEvent('conversation-state-update', { key: 'k', value: 1 }),
    ];
    const events = after(same, 4).flatMap((event) => [...noise(), event, ...noise(), ...noise()]);
    expect(stuckPattern(events)?.pattern).toBe('repeated-action');
  });
});

describe('the same action that fails', () => {
  test('three times: the model is told, once; four times is stuck', () => {
    const three = after(failing, 3);
    expect(stuckPattern(three)).toEqual({ pattern: 'repeated-error', isNudge: true });
    const told = createEvent('message', {
      source: 'environment',
      role: 'user',
      content: [{ type: 'text', text: '!' }],
    });
    expect(stuckPattern([...three, told])).toBeUndefined();
    expect(stuckPattern([...three, told, ...after(failing, 1)])).toEqual({ pattern: 'repeated-error', isNudge: false });
  });

  test('an observation that is marked as a failure counts, another action does not', () => {
    const marked = after((log, time) => log.observation(log.action('run'), `fails ${time}`, { isError: true }), 4);
    expect(stuckPattern(marked)?.pattern).toBe('repeated-error');
    expect(stuckPattern(after((log, time) => log.error(log.action(`run-${time}`), 'no'), 9))).toBeUndefined();
  });
});

test('two alternating actions, six rounds', () => {
  const turns = (log: ReturnType<typeof logBuilder>, time: number) =>
    log.call('read', { path: time % 2 === 0 ? 'a' : 'b' }, time % 2 === 0 ? 'A' : 'B');
  expect(stuckPattern(after(turns, 5))).toBeUndefined();
  expect(stuckPattern(after(turns, 6))).toEqual({ pattern: 'alternating-actions', isNudge: false });
  expect(stuckPattern(after((log, time) => log.call('read', { path: `${time % 3}` }, 'x'), 9))).toBeUndefined();
});

test('words without action, three times; notes of the framework between them change nothing', () => {
  const words = (log: ReturnType<typeof logBuilder>) => {
    log.agent('I will look into it.');
    log.environment('Call a tool.');
  };
  expect(stuckPattern(after(words, 2))).toBeUndefined();
  expect(stuckPattern(after(words, 3))).toEqual({ pattern: 'monologue', isNudge: false });
  const worked = logBuilder();
  words(worked);
  words(worked);
  same(worked);
  words(worked);
  expect(stuckPattern(worked.events)).toBeUndefined();
});

describe('G12: a context-window loop', () => {
  const request = () => createEvent('condensation-request', { reason: 'too long' });
  const condensed = () => createEvent('condensation', { forgottenEventIds: ['x'] });
  const cycle = (actions: number) => [
    request(),
    condensed(),
    ...after((log, time) => log.call('read', { path: `${Math.random()}${time}` }, 'x'.repeat(9)), actions),
  ];

  test('overflow, condensation, one action, overflow again, four times over', () => {
    expect(stuckPattern([...cycle(1), ...cycle(1), ...cycle(1)])).toBeUndefined();
    expect(stuckPattern([...cycle(1), ...cycle(1), ...cycle(1), ...cycle(1)])?.pattern).toBe('context-window-loop');
  });

  test('not with work between the overflows', () => {
    expect(stuckPattern([...cycle(2), ...cycle(3), ...cycle(2), ...cycle(2), ...cycle(2)])).toBeUndefined();
  });
});
