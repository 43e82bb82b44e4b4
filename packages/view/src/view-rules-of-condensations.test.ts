import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { describe, expect, test } from 'vitest';
import { idsOf, notesOf, shortLog, viewOf } from '../test-support/view-rules.js';
import { outline } from './testing/outline.js';

// One test for each row of the table of cases in the view's rules, in its order: what a condensation names.

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
