import { logBuilder } from '@palimpsest/events/testing';
import { describe, expect, test } from 'vitest';
import { View } from '../index.js';
import type { SentItem } from '../index.js';

/** Returns what is sent, in short: the ids of events, and the ids of calls behind the sign @. */
const outlineOf = (items: Iterable<SentItem>) =>
  [...items].map((item) => {
    switch (item.kind) {
      case 'words':
        return `${item.event.id}${item.afterAssistant ? ' after the model' : ''}`;
      case 'batch':
        return [...item.calls, ...item.results].map(({ event, sentId }) => `${event.id}@${sentId}`).join(' ');
      case 'late':
        return `late ${item.call.event.id} ${item.result.event.id}@${item.result.sentId}`;
    }
  });

describe('the order is data', () => {
  test('words inside a batch come after it, a late result makes a pair where it stands, and what is left out has a reason', () => {
    const log = logBuilder();
    const system = log.system();
    const go = log.user('Go.');
    const first = log.action('read', { llmResponseId: 'a' });
    const note = log.environment('The branch changed.');
    const firstResult = log.observation(first);
    const slow = log.action('build', { llmResponseId: 'b' });
    const words = log.agent('It is building.');
    const slowResult = log.observation(slow);
    const open = log.action('run', { llmResponseId: 'd' });
    const { items, leftOut, ...order } = View.fromEvents(log.events).sent();
    expect(order.system).toBe(system);
    expect(outlineOf(items)).toEqual([
      go.id,
      `${first.id}@${first.toolCall.id} ${firstResult.id}@${first.toolCall.id}`,
      `${note.id} after the model`,
      `${words.id} after the model`,
      `late ${slow.id} ${slowResult.id}@${slow.toolCall.id}`,
    ]);
    expect([...leftOut]).toEqual([[open.id, 'a call without a result']]);
    expect(items.at(-1)).toMatchObject({ kind: 'late', index: 7 });
    expect(items.slice(1, 2)).toMatchObject([{ kind: 'batch', response: [first] }]);
  });

  test('a call id that is used again is sent under an alias, the same for the result', () => {
    const log = logBuilder();
    for (const llmResponseId of ['a', 'b']) {
      const toolCall = { id: 'x', name: 'read', arguments: '{}' };
      log.add(log.create('action', { thought: [], toolCall, llmResponseId }));
      log.add(log.create('observation', { toolName: 'read', toolCallId: 'x', content: [] }));
    }
    const [, second] = View.fromEvents(log.events).sent().items;
    if (second?.kind !== 'batch') throw new Error('no batch');
    expect(second.calls[0]?.sentId).toMatch(/^call_[0-9a-f]{16}$/);
    expect(second.results[0]?.sentId).toBe(second.calls[0]?.sentId);
  });

  test('thinking that no longer verifies is said to be stale', () => {
    const log = logBuilder();
    log.user('Go.');
    const gone = log.agent('I begin.');
    const thinkingBlocks = [{ type: 'thinking', thinking: 'T', signature: 's' }] as const;
    const { action } = log.call('read', {}, 'ok', { thinkingBlocks });
    expect(View.fromEvents(log.events).sent().isThinkingStale(action.id)).toBe(false);
    log.condensation([gone.id]);
    expect(View.fromEvents(log.events).sent().isThinkingStale(action.id)).toBe(true);
  });
});
