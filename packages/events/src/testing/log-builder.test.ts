import { expect, test } from 'vitest';
import { parseEvent } from '../parse-event.js';
import { logBuilder } from './log-builder.js';

function everything() {
  const log = logBuilder();
  log.system();
  log.user('Fix the test.');
  log.agent('I will.', { reasoningContent: 'hm' });
  log.environment('The branch changed.');
  const { action } = log.call('run', { command: 'npm test' }, '1 failed');
  log.batch(
    [
      { name: 'read', input: { path: 'a' }, result: 'A' },
      { name: 'read', input: 'not json' },
    ],
    {
      thought: [{ type: 'text', text: 'both' }],
    },
  );
  log.error(log.action('no-such-tool', { executable: false }));
  log.reject(log.action({ name: 'remove', id: 'call-of-mine' }));
  log.request('too long');
  log.revert(log.condensation([action, 'event-1'], { summary: 's', summaryOffset: 0 }));
  log.summary('s');
  log.attempt();
  log.usage();
  log.pause();
  log.stateUpdate('status', { running: true });
  log.conversationError();
  log.custom('acme/note', { text: 'n' });
  return log.events;
}

test('the same calls make the same log', () => {
  expect(everything()).toEqual(everything());
});

test('every event is valid, frozen, and has an id and a time of its own', () => {
  const events = everything();
  expect(events.map((event) => event.id)).toEqual(events.map((_, index) => `event-${index + 1}`));
  expect(new Set(events.map((event) => event.timestamp)).size).toBe(events.length);
  for (const event of events) {
    expect(Object.isFrozen(event)).toBe(true);
    expect(parseEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
  }
});

test('it makes one event of every type that the package knows', () => {
  expect([...new Set(everything().map((event) => event.type))].sort()).toEqual([
    'acme/note',
    'action',
    'agent-error',
    'condensation',
    'condensation-attempt',
    'condensation-request',
    'condensation-revert',
    'condensation-summary',
    'conversation-error',
    'conversation-state-update',
    'llm-usage',
    'message',
    'observation',
    'pause',
    'system-prompt',
    'user-reject-observation',
  ]);
});

test('a batch shares a response id, a call has one of its own, and results name their call', () => {
  const log = logBuilder();
  const { actions, results } = log.batch([{ name: 'a', result: '1' }, { name: 'b' }, { name: 'c', result: '3' }]);
  const single = log.call('d');
  expect(actions.map((action) => action.llmResponseId)).toEqual(['response-1', 'response-1', 'response-1']);
  expect(single.action.llmResponseId).toBe('response-2');
  expect(results.map((result) => [result.toolCallId, result.actionId, result.toolName])).toEqual([
    ['call-1', actions[0]?.id, 'a'],
    ['call-3', actions[2]?.id, 'c'],
  ]);
});

test('a snapshot of the events does not change', () => {
  const log = logBuilder({ idPrefix: 'x', start: new Date(0) });
  const before = log.events;
  log.user('hello');
  expect(before).toEqual([]);
  expect(log.events[0]).toMatchObject({ id: 'x1', timestamp: '1970-01-01T00:00:00.000Z' });
});
