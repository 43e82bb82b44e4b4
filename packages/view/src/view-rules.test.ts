import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { describe, expect, test } from 'vitest';
import { View } from './index.js';
import type { ThinkingMode } from './index.js';
import { callAlias } from './fold/call-alias.js';
import { outline } from './testing/outline.js';

/** One test for each row of the table of cases in the view's rules, in its order. */
const thinkingBlocks = [{ type: 'thinking', thinking: 'T', signature: 's' }] as const;

function viewOf(log: { readonly events: readonly Event[] }, thinking: ThinkingMode = 'prefix-bound'): View {
  return View.fromEvents(log.events, { thinking });
}

const idsOf = (view: View): readonly string[] => [...view.events].map(({ id }) => id);
const notesOf = (view: View): readonly string[] => [...view.notes].map(({ note }) => note);

/** `event-1` user, `event-2` and `event-3` a call and its result, `event-4` user. */
function shortLog(): LogBuilder {
  const log = logBuilder();
  log.user('Go.');
  log.call('run');
  log.user('And?');
  return log;
}

describe('offset past the end, or inside an open batch', () => {
  test('past the end it is clamped to the end', () => {
    const log = shortLog();
    const { id } = log.condensation(['event-4'], { summary: 'S', summaryOffset: 99 });
    expect(idsOf(viewOf(log))).toEqual(['event-1', 'event-2', 'event-3', `${id}-summary`]);
  });

  test('inside an open batch the summary stays there in the list and is sent after the results', () => {
    const log = logBuilder();
    log.user('Go.');
    const action = log.action('run');
    const other = log.action('run', { llmResponseId: action.llmResponseId });
    const { id } = log.condensation([], { summary: 'S', summaryOffset: 2 });
    log.observation(action, '1');
    log.observation(other, '2');
    const view = viewOf(log);
    expect(idsOf(view)).toEqual(['event-1', 'event-2', `${id}-summary`, 'event-3', 'event-5', 'event-6']);
    expect(outline(view.toMessages())).toEqual([
      'user: Go.',
      'assistant: (call-1) (call-2)',
      'tool call-1: 1',
      'tool call-2: 2',
      'user: S',
    ]);
    expect([...view.cutPoints]).toEqual([0, 1, 6]);
  });
});

describe('a condensation names ids of an open (unsealed, unanswered) batch', () => {
  test('those ids are ignored and reported, the batch stays; the offset counts what really remained', () => {
    const log = logBuilder();
    log.user('Go.');
    log.environment('The branch changed.');
    const action = log.action('run');
    const { id } = log.condensation(['event-2', action], { summary: 'S', summaryOffset: 2 });
    const view = viewOf(log);
    expect(idsOf(view)).toEqual(['event-1', action.id, `${id}-summary`]);
    expect(notesOf(view)).toEqual([`not forgotten, because their batch is open: ${action.id}`]);
    log.observation(action);
    expect(outline(viewOf(log).toMessages())).toEqual([
      'user: Go.',
      'assistant: (call-1)',
      'tool call-1: ok',
      'user: S',
    ]);
  });

  test('also those that are answered already, while another call of the batch waits', () => {
    const log = logBuilder();
    const { actions, results } = log.batch([{ name: 'a', result: '1' }, { name: 'b' }]);
    log.condensation([...actions, ...results]);
    expect(idsOf(viewOf(log))).toEqual(['event-1', 'event-2', 'event-3']);
  });
});

describe('names a sealed unanswered call', () => {
  test('honoured; a later result is sent as a pair of its own where it arrives, with the call of the log', () => {
    const log = logBuilder();
    log.user('Go.');
    const action = log.action('run');
    log.agent('Never mind.');
    log.condensation([action]);
    const before = viewOf(log);
    const result = log.observation(action);
    log.user('Thanks.');
    const view = viewOf(log);
    expect(idsOf(view)).toEqual(['event-1', 'event-3', result.id, 'event-6']);
    const lines = ['user: Go.', 'assistant: Never mind.', 'assistant: (call-1)', 'tool call-1: ok', 'user: Thanks.'];
    expect(outline(view.toMessages())).toEqual(lines);
    expect([...view.leftOut]).toEqual([]);
    expect(outline(before.toMessages())).toEqual(lines.slice(0, 2));
    expect(outline(view.without(new Set([result.id])).toMessages())).toEqual([...lines.slice(0, 2), 'user: Thanks.']);
  });

  test('when it was answered before, its result is not sent without it', () => {
    const log = logBuilder();
    log.user('Go.');
    const action = log.action('run');
    log.agent('Never mind.');
    const result = log.observation(action);
    log.condensation([action]);
    expect(viewOf(log).leftOut.get(result.id)).toBe('the call that it answers is forgotten');
  });
});

describe('names half of a closed batch', () => {
  test('the list keeps the rest (offsets exact); the batch is not rendered at all', () => {
    const log = logBuilder();
    log.user('Go.');
    const { actions, results } = log.batch([
      { name: 'a', result: '1' },
      { name: 'b', result: '2' },
    ]);
    const { id } = log.condensation([results[0]?.id ?? ''], { summary: 'S', summaryOffset: 3 });
    const view = viewOf(log);
    const rest = ['event-1', actions[0]?.id, actions[1]?.id, `${id}-summary`, results[1]?.id];
    expect(idsOf(view)).toEqual(rest);
    expect(outline(view.toMessages())).toEqual(['user: Go.', 'user: S']);
    expect([...view.leftOut]).toEqual([
      [actions[0]?.id, 'a part of its batch is forgotten'],
      [actions[1]?.id, 'a part of its batch is forgotten'],
      [results[1]?.id, 'a part of its batch is forgotten'],
    ]);
    expect([...view.cutPoints]).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('the first action, on which thought and thinking stand, counts as a half even if it was never answered', () => {
    const log = logBuilder();
    const { actions } = log.batch([{ name: 'a' }, { name: 'b', result: '2' }]);
    log.agent('Done.');
    log.condensation([actions[0] as Event]);
    expect(outline(viewOf(log).toMessages())).toEqual(['assistant: Done.']);
    expect([...viewOf(log).cutPoints]).toEqual([0, 1, 2, 3]);
  });

  test('a late pair is a unit of its own', () => {
    const log = logBuilder();
    const { actions, results } = log.batch([{ name: 'a', result: '1' }, { name: 'b' }]);
    log.agent('Meanwhile.');
    log.observation(actions[1] as (typeof actions)[0], 'late');
    log.condensation([results[0]?.id ?? '']);
    expect(outline(viewOf(log).toMessages())).toEqual([
      'assistant: Meanwhile.',
      'assistant: (call-2)',
      'tool call-2: late',
    ]);
  });
});

describe('redaction of an id that is pending, unknown, not yet there, or neither a result nor a call’s arguments', () => {
  test('no-op, reported, never applied later', () => {
    const log = shortLog();
    const action = log.action({ name: 'run', input: { secret: true } });
    const ids = ['event-1', action.id, 'no-such-event', 'event-7'];
    log.condensation([], { redactions: ids.map((eventId) => ({ eventId, text: 'X', arguments: '{}' })) });
    const result = log.observation(action, 'answer');
    expect(result.id).toBe('event-7');
    const view = viewOf(log);
    expect([...view.events]).toEqual(log.events.filter(({ type }) => type !== 'condensation'));
    expect(notesOf(view)).toEqual([
      expect.stringMatching(/^not redacted, .*: event-1, event-5, no-such-event, event-7$/),
    ]);
  });

  test('a text for a call and arguments for a result change nothing either', () => {
    const log = shortLog();
    log.condensation([], {
      redactions: [
        { eventId: 'event-2', text: 'X' },
        { eventId: 'event-3', arguments: 'X' },
      ],
    });
    expect(outline(viewOf(log).toMessages())).toEqual(outline(viewOf(shortLog()).toMessages()));
  });

  test('the arguments of an abandoned call are redacted, and stay so when its result comes late', () => {
    const log = logBuilder();
    const action = log.action({ name: 'run', input: { secret: true } });
    log.agent('Never mind.');
    log.condensation([], { redactions: [{ eventId: action.id, arguments: '{}' }] });
    log.observation(action);
    const [, pair] = viewOf(log).toMessages();
    expect(pair).toMatchObject({ toolCalls: [{ id: 'call-1', arguments: '{}' }] });
  });

  test('in one event forgetting beats redacting', () => {
    const log = shortLog();
    log.condensation(['event-2', 'event-3'], { redactions: [{ eventId: 'event-3', text: 'X' }] });
    const view = viewOf(log);
    expect(idsOf(view)).toEqual(['event-1', 'event-4']);
    expect(notesOf(view)).toEqual([]);
  });

  test('redacting again replaces the text', () => {
    const log = shortLog();
    log.condensation([], { redactions: [{ eventId: 'event-3', text: 'first' }] });
    log.condensation([], { redactions: [{ eventId: 'event-3', text: 'second' }] });
    expect(outline(viewOf(log).toMessages())[2]).toBe('tool call-1: second');
    expect(viewOf(log).original('event-3')).toMatchObject({ content: [{ text: 'ok' }] });
  });
});

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

describe('what makes thinking stale: the first rendered message that an edit changed', () => {
  /** A call that is never answered, then a response with thinking and its result. */
  function thinkingLog() {
    const log = logBuilder();
    log.user('Go.');
    const unsent = log.action('run');
    const { action, result } = log.call('run', {}, 'long', { thinkingBlocks });
    return { log, unsent, action, result };
  }
  const thinks = (log: LogBuilder) => outline(viewOf(log).toMessages()).filter((line) => line.includes(' T ')).length;

  test('forgetting unrendered events makes nothing stale', () => {
    const { log, unsent } = thinkingLog();
    log.condensation([unsent]);
    expect(thinks(log)).toBe(1);
  });

  test('an edit that changes nothing makes nothing stale', () => {
    const { log } = thinkingLog();
    log.condensation(['no-such-event'], { summary: '  ', summaryOffset: 0 });
    expect(thinks(log)).toBe(1);
  });

  test('a batch’s own thinking survives the redaction of that batch’s results; what follows does not', () => {
    const { log, result } = thinkingLog();
    log.call('run', {}, 'next', { thinkingBlocks });
    log.condensation([], { redactions: [{ eventId: result.id, text: 'X' }] });
    expect(outline(viewOf(log).toMessages()).map((line) => line.includes(' T '))).toEqual([
      false,
      true,
      false,
      false,
      false,
    ]);
  });

  test('a response not yet rendered at the edit counts as made before it', () => {
    const log = logBuilder();
    log.user('Go.');
    log.user('Please.');
    const action = log.action('run', { thinkingBlocks });
    log.condensation(['event-1']);
    log.observation(action);
    expect(thinks(log)).toBe(0);
  });

  test('what is made after the edit stays', () => {
    const { log } = thinkingLog();
    log.condensation(['event-1'], { summary: 'S', summaryOffset: 0 });
    log.call('run', {}, 'next', { thinkingBlocks });
    expect(thinks(log)).toBe(1);
    expect(
      outline(viewOf(log).toMessages({ thinking: 'latest-turn' })).filter((line) => line.includes(' T ')),
    ).toHaveLength(2);
  });

  test('a changed system prompt is an edit at the start; the same one again is none', () => {
    const { log } = thinkingLog();
    log.system('You are an agent.');
    log.call('run', {}, 'next', { thinkingBlocks });
    expect(thinks(log)).toBe(1);
    log.system('You are an agent.');
    expect(thinks(log)).toBe(1);
    log.system('You are another agent.');
    expect(thinks(log)).toBe(0);
  });

  test('a response made while a batch waited is stale: its request lacked what is sent now', () => {
    const log = logBuilder();
    log.user('Go.');
    log.batch([{ name: 'a', result: '1' }, { name: 'b' }]);
    log.agent('Meanwhile.', { thinkingBlocks });
    log.user('Go on.');
    expect(thinks(log)).toBe(0);
    log.call('run', {}, 'next', { thinkingBlocks });
    expect(thinks(log)).toBe(1);
  });

  test('but not what a response of the same id holds that was made after a condensation', () => {
    const log = logBuilder();
    log.user('Go.');
    log.batch([{ name: 'a', result: '1' }, { name: 'b' }]);
    log.call('run', {}, '2', { llmResponseId: 'r', thinkingBlocks });
    expect(thinks(log)).toBe(0);
    log.condensation([]);
    log.call('run', {}, '3', { llmResponseId: 'r', thinkingBlocks });
    expect(thinks(log)).toBe(1);
  });
});

describe('cut points', () => {
  test('only an unsealed batch with a pending call holds them back', () => {
    const log = shortLog();
    const action = log.action('run');
    log.user('Hurry.');
    expect([...viewOf(log).cutPoints]).toEqual([0, 1, 3, 4]);
    log.observation(action);
    expect([...viewOf(log).cutPoints]).toEqual([0, 1, 3, 4, 7]);
    log.action('run');
    expect([...viewOf(log).cutPoints]).toEqual([0, 1, 3, 4, 7]);
    log.agent('Never mind.');
    expect([...viewOf(log).cutPoints]).toEqual([0, 1, 3, 4, 7, 8, 9]);
  });

  test('stale thinking glues nothing; fresh thinking loops are atomic in latest-turn, cuttable in prefix-bound', () => {
    const log = logBuilder();
    log.user('Go.');
    log.call('run', {}, '1', { thinkingBlocks });
    log.call('run', {}, '2');
    log.call('run', {}, '3', { thinkingBlocks });
    log.user('And?');
    expect([...viewOf(log, 'latest-turn').cutPoints]).toEqual([0, 1, 5, 7, 8]);
    expect([...viewOf(log, 'prefix-bound').cutPoints]).toEqual([0, 1, 3, 5, 7, 8]);
    log.condensation(['event-1'], { summary: 'S', summaryOffset: 0 });
    expect([...viewOf(log, 'latest-turn').cutPoints]).toEqual([0, 1, 3, 5, 7, 8]);
  });

  test('a late pair belongs to the loop in which it stands', () => {
    const log = logBuilder();
    const late = log.action('run');
    log.call('run', {}, '1', { thinkingBlocks });
    log.observation(late, 'late');
    log.call('run', {}, '2');
    expect([...viewOf(log, 'latest-turn').cutPoints]).toEqual([0, 1, 6]);
    expect([...viewOf(log).cutPoints]).toEqual([0, 1, 3, 4, 6]);
  });
});

test('removing [i, j) between cut points: everything outside is still sent, except the late half of a pair', () => {
  const log = logBuilder();
  log.user('Go.');
  const late = log.action('run');
  log.agent('Never mind.');
  const result = log.observation(late, 'late');
  log.user('And?');
  const view = viewOf(log);
  expect([...view.cutPoints]).toEqual([0, 1, 2, 3, 4, 5]);
  const rest = view.without(new Set([late.id]));
  expect(outline(rest.toMessages())).toEqual(['user: Go.', 'assistant: Never mind.', 'user: And?']);
  expect([...rest.leftOut.keys()]).toEqual([result.id]);
});

describe('rows that no other test holds', () => {
  test('a call with the id of an answered call of its own batch is a call of its own', () => {
    const log = logBuilder();
    const first = log.action({ name: 'run', id: 'x', input: { n: 1 } });
    const { llmResponseId } = first;
    log.action({ name: 'wait', id: 'y' }, { llmResponseId });
    log.observation(first, 'one');
    const again = log.action({ name: 'run', id: 'x', input: { n: 2 } }, { llmResponseId });
    expect(viewOf(log).leftOut.get(again.id)).toBe('waits for the results of an open batch');
    log.observation(again, 'two');
    log.agent('Done.');
    const lines = outline(viewOf(log).toMessages());
    expect(lines.filter((line) => line.startsWith('tool '))).toEqual([
      'tool x: one',
      expect.stringMatching(/^tool call_[0-9a-f]+: two$/),
    ]);
  });

  test('a summary without an offset takes the place of the first forgotten event', () => {
    const log = logBuilder();
    for (const words of ['a', 'b', 'c', 'd', 'e']) log.user(words);
    const { id } = log.condensation(['event-2', 'event-4'], { summary: 'S' });
    expect(idsOf(viewOf(log))).toEqual(['event-1', `${id}-summary`, 'event-3', 'event-5']);
  });

  test('an id that an earlier condensation forgot is no unknown id', () => {
    const log = logBuilder();
    for (const words of ['a', 'b', 'c']) log.user(words);
    log.condensation(['event-2']);
    log.condensation(['event-2', 'no-such-event']);
    expect(viewOf(log).notes.map(({ note }) => note)).toEqual([
      'not forgotten, because the log has no such event: no-such-event',
    ]);
  });

  test('a batch of which a derived view holds a part is no obstacle to cuts, though a call of it waits', () => {
    const log = logBuilder();
    log.user('Go.');
    const { actions } = log.batch([{ name: 'a', result: '1' }, { name: 'b' }]);
    expect([...viewOf(log).cutPoints]).toEqual([0, 1]);
    expect([...viewOf(log).without(new Set([actions[0]?.id ?? ''])).cutPoints]).toEqual([0, 1, 2, 3]);
  });

  test('a revert repeats no note of the events before it', () => {
    const log = logBuilder();
    for (const words of ['a', 'b', 'c']) log.user(words);
    log.condensation(['no-such-event']);
    const second = log.condensation(['event-2']);
    log.add(log.create('condensation-revert', { condensationId: second.id }));
    expect(viewOf(log).notes.map(({ note }) => note)).toEqual([
      'not forgotten, because the log has no such event: no-such-event',
    ]);
  });

  test('replaced instructions make all thinking stale that was made before', () => {
    const log = logBuilder();
    const system = log.system();
    log.user('Go.');
    const thinkingBlocks = [{ type: 'thinking', thinking: 'T', signature: 's' }] as const;
    const { action } = log.call('read', {}, 'ok', { thinkingBlocks });
    const view = viewOf(log);
    const replaced = view.replace(new Map([[system.id, { event: { ...system, systemPrompt: 'Other.' } }]]));
    expect(view.sent().isThinkingStale(action.id)).toBe(false);
    expect(replaced.sent().isThinkingStale(action.id)).toBe(true);
  });
});
