import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { describe, expect, test } from 'vitest';
import { thinkingBlocks, viewOf } from '../test-support/view-rules.js';
import { outline } from './testing/outline.js';

// One test for each row of the table of cases in the view's rules, in its order: which calls are of one response.

describe('the same response id returns', () => {
  type Extra = NonNullable<Parameters<LogBuilder['call']>[3]>;
  const again = (log: LogBuilder, extra: Extra = {}) => log.call('run', {}, '2', { llmResponseId: 'r', ...extra });

  test('behind a sibling’s result: the same batch, because a result alone says nothing', () => {
    const log = logBuilder();
    const { action } = log.call('run', {}, '1', { llmResponseId: 'r' });
    const sibling = log.action('run', { llmResponseId: 'r' });
    expect(outline(viewOf(log).toMessages())).toEqual([]);
    expect([...viewOf(log).cutPoints]).toEqual([0]);
    log.observation(sibling, '2');
    expect(outline(viewOf(log).toMessages())).toEqual([
      'assistant: (call-1) (call-2)',
      'tool call-1: 1',
      'tool call-2: 2',
    ]);
    expect([...viewOf(log).cutPoints]).toEqual([0, 4]);
    expect(viewOf(log).responseOf(sibling.id)).toBe(action.id);
  });

  const evidence: readonly (readonly [string, (log: LogBuilder) => void, Extra])[] = [
    ['the user spoke in between', (log) => void log.user('Go on.'), {}],
    ['a usage of the agent lies in between', (log) => void log.usage({ purpose: 'agent' }), {}],
    ['the action carries a thought', () => undefined, { thought: [{ type: 'text', text: 'Next.' }] }],
    ['the action carries signed thinking', () => undefined, { thinkingBlocks }],
    ['the action carries reasoning', () => undefined, { reasoningContent: 'Hm.' }],
    ['the action carries a reasoning item', () => undefined, { reasoningItems: [{ summary: [] }] }],
    ['an agent’s message of the same id lies in between', (log) => void log.agent('Wait.', { llmResponseId: 'r' }), {}],
  ];

  test.each(evidence)('every call is answered and %s: a new batch', (_, write, extra) => {
    const log = logBuilder();
    log.user('Go.');
    const first = log.call('run', {}, '1', { llmResponseId: 'r' });
    write(log);
    const { length } = viewOf(log).events;
    const second = again(log, extra);
    const view = viewOf(log);
    expect(view.responseOf(first.action.id)).toBe(first.action.id);
    expect(view.responseOf(second.action.id)).not.toBe(first.action.id);
    expect([...view.cutPoints]).toEqual(expect.arrayContaining([1, 3, length, length + 2]));
    const calls = outline(view.toMessages()).filter((line) => line.startsWith('assistant: ') && line.includes('('));
    expect(calls.map((line) => line.slice(line.indexOf('(')))).toEqual(['(call-1)', '(call-2)']);
  });

  test.each(evidence.slice(0, -1))('a call still waits and %s: the same batch', (_, write, extra) => {
    const log = logBuilder();
    log.user('Go.');
    const waiting = log.action('run', { llmResponseId: 'r' });
    write(log);
    const second = again(log, extra);
    expect(viewOf(log).responseOf(second.action.id)).toBe(waiting.id);
    log.observation(waiting, '1');
    const calls = outline(viewOf(log).toMessages()).filter((line) => line.includes('('));
    expect(calls).toEqual([expect.stringMatching(/\(call-1\) \(call-2\)$/)]);
  });

  test.each<readonly [string, (log: LogBuilder) => void]>([
    ['the framework spoke', (log) => void log.environment('Note.')],
    ['a usage of a condenser lies', (log) => void log.usage({ purpose: 'summary' })],
    ['a usage without a purpose lies', (log) => void log.usage()],
    ['a pause and a request lie', (log) => void log.add(log.create('condensation-request', {}))],
  ])('%s in between: the same batch', (_, write) => {
    const log = logBuilder();
    const first = log.call('run', {}, '1', { llmResponseId: 'r' });
    write(log);
    const second = again(log, { thought: [{ type: 'text', text: ' \n' }] });
    expect(viewOf(log).responseOf(second.action.id)).toBe(first.action.id);
  });

  test('what lies before the newest event of the response is used up', () => {
    const log = logBuilder();
    const first = log.action('run', { llmResponseId: 'r' });
    log.user('Hurry.');
    const sibling = log.action('run', { llmResponseId: 'r' });
    log.observation(first, '1');
    log.observation(sibling, '2');
    expect(viewOf(log).responseOf(again(log).action.id)).toBeUndefined();
    expect(viewOf(log).responseOf(log.events.at(-2)?.id ?? '')).toBe(first.id);
  });

  test('what lay in between counts by the log: it may be forgotten by then, and the two stay two when it is', () => {
    const log = logBuilder();
    log.user('Go.');
    log.call('run', {}, '1', { llmResponseId: 'r' });
    const words = log.user('Go on.');
    const second = again(log);
    log.condensation([words]);
    expect(outline(viewOf(log).toMessages())).toEqual([
      'user: Go.',
      'assistant: (call-1)',
      'tool call-1: 1',
      'assistant: (call-2)',
      'tool call-2: 2',
    ]);
    expect(viewOf(log).responseOf(second.action.id)).toBe(second.action.id);
  });

  test('where all responses have one id, each is cut, made stale and left unanswered by itself', () => {
    const log = logBuilder();
    log.user('Go.');
    for (const step of [1, 2, 3]) {
      log.usage({ purpose: 'agent' });
      log.call('run', {}, `${step}`, { llmResponseId: 'r', thinkingBlocks });
    }
    expect([...viewOf(log).cutPoints]).toEqual([0, 1, 3, 5, 7]);
    log.condensation([], { redactions: [{ eventId: log.events[6]?.id ?? '', text: 'X' }] });
    expect(outline(viewOf(log).toMessages()).map((line) => line.includes(' T '))).toEqual([
      false,
      true,
      false,
      true,
      false,
      false,
      false,
    ]);
    log.usage({ purpose: 'agent' });
    const waiting = log.action('run', { llmResponseId: 'r' });
    expect([...viewOf(log).leftOut]).toEqual([[waiting.id, 'a call without a result']]);
    expect([...viewOf(log).cutPoints]).toEqual([0, 1, 3, 5, 7]);
  });

  test.each([
    ['another response', (log: LogBuilder) => void log.call('run', {}, 'other')],
    ['an agent message', (log: LogBuilder) => void log.agent('Done.')],
    ['a condensation of which the model has read the result', (log: LogBuilder) => void log.condensation([])],
  ])('after %s: a new batch', (_, write) => {
    const log = logBuilder();
    log.call('run', {}, '1', { llmResponseId: 'r' });
    write(log);
    log.call('run', {}, '2', { llmResponseId: 'r' });
    const calls = outline(viewOf(log).toMessages()).filter((line) => line.startsWith('assistant: ('));
    expect(calls.map((line) => line.split('(').length - 1)).toEqual(calls.map(() => 1));
    expect(calls.length).toBeGreaterThan(1);
  });

  test('what a server with one id for all answers after its batch was forgotten is sent', () => {
    const log = logBuilder();
    log.user('Go.');
    const first = log.call('run', {}, '1', { llmResponseId: 'r' });
    log.condensation([first.action, first.result], { summary: 'S', summaryOffset: 1 });
    log.call('run', {}, '2', { llmResponseId: 'r' });
    expect(outline(viewOf(log).toMessages())).toEqual(['user: Go. S', 'assistant: (call-2)', 'tool call-2: 2']);
  });
});

test('thinking of a batch: that of its first action in the log, sent if any of its calls is sent in place', () => {
  const log = logBuilder();
  log.user('Go.');
  const { actions } = log.batch([{ name: 'a' }, { name: 'b', result: '2' }], {
    thinkingBlocks,
    thought: [{ type: 'text', text: 'Both.' }],
  });
  log.agent('Done.');
  expect(outline(viewOf(log).toMessages())).toEqual([
    'user: Go.',
    'assistant: T Both. (call-2)',
    'tool call-2: 2',
    'assistant: Done.',
  ]);
  log.observation(actions[0] as (typeof actions)[0], 'late');
  expect(outline(viewOf(log).toMessages()).slice(-2)).toEqual(['assistant: (call-1)', 'tool call-1: late']);
});
