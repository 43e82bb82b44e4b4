import { memoryEventStore } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { describe, expect, test } from 'vitest';
import { Agent } from '../agent.js';
import { Conversation } from '../conversation.js';
import { runnerContract } from '../testing/runner-contract.js';
import { FairQueue } from './fair-queue.js';
import { inProcessRunner } from './in-process-runner.js';
import type { RunEnd } from './runner.js';

runnerContract({ test, create: (options) => ({ runner: inProcessRunner(options) }) });

describe('the queue', () => {
  test('gives the tenants turns, whatever they have waiting', () => {
    const queue = new FairQueue((id) => id.charAt(0));
    for (const id of ['a1', 'a2', 'a3', 'b1', 'a2', 'c1', 'b2']) queue.add(id);
    const taken = Array.from({ length: 7 }, () => queue.take(() => true));
    expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined]);
    expect(queue.size).toBe(0);
  });

  test('passes over what may not be taken now, which keeps its place', () => {
    const queue = new FairQueue(() => 'one');
    for (const id of ['1', '2', '3']) queue.add(id);
    expect(queue.take((id) => id !== '1')).toBe('2');
    expect(queue.take(() => true)).toBe('1');
    expect(queue.size).toBe(1);
  });
});

test('a message that is sent during a run through the same object is read', async () => {
  const conversations = new Map<string, Conversation>();
  const ends: RunEnd[] = [];
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const llm = scriptedLLM({
    script: (_, index) => {
      begin();
      return index === 0 ? { text: 'One.', until: arrived } : 'Two.';
    },
  });
  const open = async (conversationId: string) => {
    const conversation =
      conversations.get(conversationId) ??
      (await Conversation.open({ agent: new Agent({ llm }), store: memoryEventStore(), conversationId }));
    conversations.set(conversationId, conversation);
    return conversation;
  };
  const runner = inProcessRunner({ open, onEnd: (end) => ends.push(end) });
  const conversation = await open('a');
  await conversation.send('One?');
  await runner.start();
  await runner.enqueue('a');
  await begun;
  await conversation.send('Two?');
  await runner.enqueue('a');
  arrive();
  while (ends.length < 2) await new Promise(setImmediate);
  await runner.stop();
  expect(ends).toMatchObject([{ outcome: { answer: 'Two.' } }, { outcome: { answer: 'Two.', iterations: 0 } }]);
});

test('what can hold no run is refused', () => {
  const open = () => Promise.reject(new Error('never opened'));
  expect(() => inProcessRunner({ open, onEnd: () => undefined, maxConcurrentRuns: 0 })).toThrow(RangeError);
});
