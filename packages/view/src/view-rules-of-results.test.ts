import { logBuilder } from '@palimpsest/events/testing';
import { describe, expect, test } from 'vitest';
import { idsOf, shortLog, thinkingBlocks, viewOf } from '../test-support/view-rules.js';
import { callAlias } from './fold/call-alias.js';
import { outline } from './testing/outline.js';

// One test for each row of the table of cases in the view's rules, in its order: results and calls.

describe('a second result of a call', () => {
  test('takes the place of the first if no answer of the model lies between; the first stays unsent, with no cut point', () => {
    const log = logBuilder();
    const { actions, results } = log.batch([
      { name: 'a', result: 'pending' },
      { name: 'b', result: 'B' },
    ]);
    const before = viewOf(log);
    log.environment('It is ready.');
    const second = log.observation(actions[0] as (typeof actions)[0], 'A');
    const view = viewOf(log);
    const answered = ['assistant: (call-1) (call-2)', 'tool call-1: A', 'tool call-2: B'];
    expect(outline(view.toMessages())).toEqual([...answered, 'user: It is ready.']);
    expect([...view.leftOut]).toEqual([[results[0]?.id, 'a newer result of its call is sent in its place']]);
    expect([...view.cutPoints]).toEqual([0, 6]);
    expect(outline(before.toMessages())[1]).toBe('tool call-1: pending');
    log.condensation([second], { summary: 'S' });
    expect(outline(viewOf(log).toMessages())).toEqual(['user: It is ready. S']);
  });

  test('after an answer of the model follows as a pair under an alias; the first stays', () => {
    const log = logBuilder();
    log.user('Go.');
    const { action } = log.call('run', {}, 'running in the background');
    log.agent('I wait.');
    const second = log.observation(action, 'half');
    const third = log.observation(action, 'done');
    const view = viewOf(log);
    const messages = view.toMessages();
    const alias = messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))[1] ?? '';
    expect(alias).toMatch(/^call_[0-9a-f]{16}$/);
    expect(outline(messages)).toEqual([
      'user: Go.',
      'assistant: (call-1)',
      'tool call-1: running in the background',
      'assistant: I wait.',
      `assistant: (${alias})`,
      `tool ${alias}: done`,
    ]);
    expect([...view.leftOut]).toEqual([[second.id, 'a newer result of its call is sent in its place']]);
    expect([...view.cutPoints]).toEqual([0, 1, 3, 4, 5, 6]);
    // The pair stands for itself when the call and its first result are forgotten.
    log.condensation([action, 'event-3']);
    expect(outline(viewOf(log).toMessages()).slice(-2)).toEqual([`assistant: (${alias})`, `tool ${alias}: done`]);
    log.condensation([third]);
    expect(outline(viewOf(log).toMessages())).toEqual(['user: Go.', 'assistant: I wait.']);
  });

  test('follows as a pair where a condensation has forgotten the call and its first result, answer or not', () => {
    const log = logBuilder();
    log.user('Go.');
    const { action, result } = log.call('run', {}, 'running in the background');
    log.condensation([action, result], { summary: 'S' });
    log.observation(action, 'half');
    log.observation(action, 'done');
    expect(outline(viewOf(log).toMessages())).toEqual([
      'user: Go. S',
      expect.stringMatching(/^assistant: \(call_/),
      expect.stringMatching(/^tool call_[0-9a-f]+: done$/),
    ]);
  });

  test('of a late pair is sent in its stead, and after another answer beside it', () => {
    const log = logBuilder();
    const action = log.action('run', { llmResponseId: 'a' });
    log.agent('Meanwhile.');
    const first = log.observation(action, 'soon');
    log.observation(action, 'now');
    expect(outline(viewOf(log).toMessages())).toEqual([
      'assistant: Meanwhile.',
      'assistant: (call-1)',
      'tool call-1: now',
    ]);
    expect([...viewOf(log).leftOut.keys()]).toEqual([first.id]);
    log.agent('Good.');
    log.observation(action, 'again');
    expect(outline(viewOf(log).toMessages()).slice(2)).toEqual([
      'tool call-1: now',
      'assistant: Good.',
      expect.stringMatching(/^assistant: \(call_/),
      expect.stringMatching(/^tool call_[0-9a-f]+: again$/),
    ]);
  });
});

test('a result before its call, or with none: an orphan for good, because matching looks only backwards', () => {
  const log = logBuilder();
  const early = log.create('observation', {
    toolCallId: 'call-1',
    toolName: 'run',
    content: [{ type: 'text', text: 'early' }],
  });
  const orphan = log.create('observation', { toolCallId: 'no-such-call', toolName: 'run', content: [] });
  log.add(early, orphan);
  const action = log.action('run');
  expect(outline(viewOf(log).toMessages())).toEqual([]);
  log.observation(action, 'in time');
  const view = viewOf(log);
  expect(outline(view.toMessages())).toEqual(['assistant: (call-1)', 'tool call-1: in time']);
  expect([...view.leftOut.keys()]).toEqual([early.id, orphan.id]);
  expect([...view.cutPoints]).toEqual([0, 1, 2, 4]);
});

test('a second call with the id of an open call: left out, reported; the result goes to the first', () => {
  const log = logBuilder();
  const first = log.action({ name: 'run', id: 'x', input: { n: 1 } });
  const second = log.action({ name: 'run', id: 'x', input: { n: 2 } }, { llmResponseId: first.llmResponseId });
  log.observation(first, 'one');
  const view = viewOf(log);
  expect(view.toMessages()).toMatchObject([{ toolCalls: [first.toolCall] }, { toolCallId: 'x' }]);
  expect([...view.leftOut]).toEqual([[second.id, 'a call with the id of a call that is still open']]);
  expect([...view.cutPoints]).toEqual([0, 3]);
  log.observation(second, 'two');
  expect(outline(viewOf(log).toMessages())).toEqual(['assistant: (x)', 'tool x: one']);
});

describe('a call id used again by a later response (compatible servers do it)', () => {
  test('calls match by occurrence; the repeated id is sent under an alias made from the event id', () => {
    const log = logBuilder();
    for (const answer of ['one', 'two', 'three']) log.observation(log.action({ name: 'run', id: 'call_0' }), answer);
    const aliases = [callAlias('event-3'), callAlias('event-5')];
    expect(outline(viewOf(log).toMessages())).toEqual([
      'assistant: (call_0)',
      'tool call_0: one',
      `assistant: (${aliases[0]})`,
      `tool ${aliases[0]}: two`,
      `assistant: (${aliases[1]})`,
      `tool ${aliases[1]}: three`,
    ]);
    for (const alias of aliases) expect(alias).toMatch(/^[a-z0-9_]{1,40}$/);
  });

  test('also when the first call was never answered: its result is that of the newest call', () => {
    const log = logBuilder();
    log.action({ name: 'run', id: 'call_0' });
    const second = log.action({ name: 'run', id: 'call_0' });
    log.observation(second, 'two');
    const alias = callAlias(second.id);
    expect(outline(viewOf(log).toMessages())).toEqual([`assistant: (${alias})`, `tool ${alias}: two`]);
  });

  test('an id that a provider would refuse is sent under an alias at once', () => {
    const log = logBuilder();
    const action = log.action({ name: 'run', id: 'functions.run:0' });
    log.observation(action);
    expect(outline(viewOf(log).toMessages())[0]).toBe(`assistant: (${callAlias(action.id)})`);
  });
});

test('a repeated event id: a view built from foreign events ignores and reports it', () => {
  const log = shortLog();
  log.add(
    log.create('message', { id: 'event-1', source: 'user', role: 'user', content: [{ type: 'text', text: 'again' }] }),
  );
  const view = viewOf(log);
  expect(idsOf(view)).toEqual(['event-1', 'event-2', 'event-3', 'event-4']);
  expect([...view.notes]).toEqual([
    { eventId: 'event-1', note: expect.stringContaining('this one is ignored') as string },
  ]);
});

describe('unanswered at the end, or before a later assistant turn', () => {
  test('unsent at the end', () => {
    const log = shortLog();
    const action = log.action('run', { thought: [{ type: 'text', text: 'I run it.' }] });
    expect(outline(viewOf(log).toMessages()).at(-1)).toBe('user: And?');
    expect([...viewOf(log).leftOut]).toEqual([[action.id, 'a call without a result']]);
  });

  test('unsent and sealed before a later assistant turn; the thought of a wholly unanswered response is unsent too', () => {
    const log = shortLog();
    const action = log.action('run', { thought: [{ type: 'text', text: 'I run it.' }], thinkingBlocks });
    log.agent('Never mind.');
    expect(outline(viewOf(log).toMessages()).slice(-2)).toEqual(['user: And?', 'assistant: Never mind.']);
    log.observation(action, 'late');
    expect(outline(viewOf(log).toMessages()).slice(-3)).toEqual([
      'assistant: Never mind.',
      'assistant: (call-2)',
      'tool call-2: late',
    ]);
  });

  test('of a batch with some results, the answered calls are sent once it is sealed; before, it waits with what follows', () => {
    const log = logBuilder();
    log.user('Go.');
    const { actions } = log.batch([{ name: 'a', result: '1' }, { name: 'b' }]);
    log.user('Hurry.');
    const waiting = viewOf(log);
    expect(outline(waiting.toMessages())).toEqual(['user: Go.']);
    expect(new Set(waiting.leftOut.values())).toEqual(new Set(['waits for the results of an open batch']));
    log.agent('Done.');
    const sealed = viewOf(log);
    expect(outline(sealed.toMessages())).toEqual([
      'user: Go.',
      'assistant: (call-1)',
      'tool call-1: 1',
      'user: Hurry.',
      'assistant: Done.',
    ]);
    expect([...sealed.leftOut]).toEqual([[actions[1]?.id, 'a call without a result']]);
  });

  test('with no call answered, the words behind an open batch are sent', () => {
    const log = logBuilder();
    log.user('Go.');
    log.action('run');
    log.user('Hurry.');
    expect(outline(viewOf(log).toMessages())).toEqual(['user: Go.', 'user: Hurry.']);
  });
});

test('user, system or summary inside a batch: sent after the results; the whole span is one unit for cuts', () => {
  const log = logBuilder();
  log.user('Go.');
  const action = log.action('run');
  const other = log.action('run', { llmResponseId: action.llmResponseId });
  log.user('Hurry.');
  log.observation(action, '1');
  log.system('You are another agent.');
  log.summary('Before that, nothing happened.');
  log.observation(other, '2');
  const view = viewOf(log);
  expect(outline(view.toMessages())).toEqual([
    'system: You are another agent.',
    'user: Go.',
    'assistant: (call-1) (call-2)',
    'tool call-1: 1',
    'tool call-2: 2',
    'user: Hurry. Before that, nothing happened.',
  ]);
  expect([...view.cutPoints]).toEqual([0, 1, 8]);
});
