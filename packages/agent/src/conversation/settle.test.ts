import { createEvent, defineTool, memoryEventStore } from '@palimpsest/events';
import type { Event, EventStore } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { condensation, isLaterView, rebasedCondensation } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import { Conversation } from './conversation.js';
import { inProcessRunner } from '../runner/index.js';
import type { RunEnd } from '../runner/index.js';

/** Writes one summary in the background, of the first step, when the test lets it. */
function slowCondenser() {
  let resolve = (): void => undefined;
  const ready = new Promise<void>((found) => (resolve = found));
  let begun: View | undefined;
  let isReady = false;
  let isTaken = false;
  let begunWith: AbortSignal | undefined;
  const condenser: Condenser = {
    name: 'slow',
    condense: (view, { onPending, report, signal }) => {
      if (begun === undefined && view.events.length > 5) {
        begun = view;
        begunWith = signal;
        onPending?.({ ready, isTaken: () => isTaken });
      }
      if (begun === undefined || !isReady || isTaken || !isLaterView(view, begun)) return view;
      isTaken = true;
      const made = condensation({ view: begun, start: 2, end: 4, summary: 'What was done.', metadata: { costUsd: 1 } });
      const fitting = rebasedCondensation(made, { from: begun, to: view });
      if (fitting === undefined) report?.({ outcome: 'discarded', reason: 'It does not fit.', data: { costUsd: 1 } });
      return fitting ?? view;
    },
  };
  const finish = () => {
    isReady = true;
    resolve();
  };
  return { condenser, finish, isBegun: () => begun !== undefined, signal: () => begunWith };
}

const note = defineTool({ name: 'note', description: '', input: z.object({}), execute: async () => 'noted' });
const order = defineTool({ name: 'order', description: '', input: z.object({}), execute: async () => 'ordered' });
const call = (name: string) => ({ toolCalls: [{ name }] });
const script: Script = [call('note'), call('note'), call('note'), call('order'), 'Done.'];

async function setUp(answers: Script = script) {
  const { condenser, ...background } = slowCondenser();
  const store = memoryEventStore();
  const llm = scriptedLLM({ script: answers });
  const agent = new Agent({
    llm,
    tools: [note, order],
    condenser,
    confirmation: ({ toolCall }) => toolCall.name === 'order',
  });
  const open = (conversationId: string) => Conversation.open({ agent, store, conversationId });
  const conversation = await open('a');
  await conversation.send('Order, and note it.');
  return { conversation, open, store, llm, ...background };
}

async function eventsIn(store: EventStore): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const event of store.read('a')) events.push(event);
  return events;
}

const ofType = (events: Iterable<Event>, type: string) => [...events].filter((event) => event.type === type);

test('a run that waits for a person does not wait for a summary, nor does the person; the summary is kept', async () => {
  const { conversation, open, store, finish, isBegun } = await setUp();
  expect(await conversation.run()).toMatchObject({ status: 'waiting-for-confirmation' });
  expect(isBegun()).toBe(true);
  const settled = conversation.settle();
  const elsewhere = await open('a');
  expect(await elsewhere.confirm()).toHaveLength(1);
  expect(ofType(await eventsIn(store), 'condensation')).toEqual([]);
  finish();
  await settled;
  const events = await eventsIn(store);
  expect(events.at(-1)).toMatchObject({ type: 'condensation', metadata: { costUsd: 1 } });
  await conversation.settle();
  expect(await eventsIn(store)).toHaveLength(events.length);
  expect(await elsewhere.run()).toMatchObject({ status: 'finished', answer: 'Done.' });
  expect(ofType(await eventsIn(store), 'condensation')).toHaveLength(1);
});

test('what the condensation of another process has taken is reported with its cost, and forgotten once', async () => {
  const { conversation, store, finish } = await setUp();
  await conversation.run();
  const other: Condenser = {
    name: 'other',
    handlesCondensationRequests: true,
    condense: (view) => condensation({ view, start: 2, end: 4, summary: 'Another one.' }),
  };
  const agent = new Agent({ llm: scriptedLLM({ script: [] }), tools: [note, order], condenser: other });
  await (await Conversation.open({ agent, store, conversationId: 'a' })).condense();
  finish();
  await conversation.settle();
  const events = await eventsIn(store);
  expect(ofType(events, 'condensation')).toMatchObject([{ summary: 'Another one.' }]);
  expect(events.at(-1)).toMatchObject({ type: 'condensation-attempt', outcome: 'discarded', data: { costUsd: 1 } });
});

test('one that cannot be appended, because another writer has the conversation, can be appended later', async () => {
  const { conversation, store, finish } = await setUp();
  await conversation.run();
  finish();
  const writer = await store.openForWriting?.('a');
  await expect(conversation.settle()).rejects.toMatchObject({ code: 'conversation-busy' });
  await writer?.append([
    createEvent('message', { source: 'user', role: 'user', content: [{ type: 'text', text: 'Hm.' }] }),
  ]);
  await writer?.close();
  await conversation.settle();
  const events = await eventsIn(store);
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['message', 'condensation']);
});

test('a run that is handed over takes the summary along, unless it is interrupted', async () => {
  for (const isInterrupted of [false, true]) {
    const { conversation, store, finish } = await setUp();
    const interruption = new AbortController();
    conversation.events.observe(({ type }) => {
      if (type === 'observation' && ofType(conversation.events, 'observation').length === 3) conversation.release();
    });
    const run = conversation.run({ signal: interruption.signal });
    while (ofType(conversation.events, 'observation').length < 3) await new Promise(setImmediate);
    if (isInterrupted) interruption.abort();
    else finish();
    expect(await run).toMatchObject({ status: 'released' });
    expect(ofType(await eventsIn(store), 'condensation')).toHaveLength(isInterrupted ? 0 : 1);
  }
});

test('a run that goes on takes it, and not who waits for it', async () => {
  const { conversation, store, finish } = await setUp();
  await conversation.run();
  await conversation.confirm();
  const settled = conversation.settle();
  const run = conversation.run();
  finish();
  await Promise.all([settled, run]);
  await conversation.settle();
  expect(ofType(await eventsIn(store), 'condensation')).toHaveLength(1);
});

test('a runner gives the place to others meanwhile, and waits for the summary when it is stopped', async () => {
  const { open, store, finish } = await setUp();
  const ends: RunEnd[] = [];
  const runner = inProcessRunner({ open, onEnd: (end) => ends.push(end), maxConcurrentRuns: 1 });
  await runner.start();
  await runner.enqueue('a');
  while (ends.length === 0) await new Promise(setImmediate);
  while ((await runner.status()).running.length > 0) await new Promise(setImmediate);
  const stopped = runner.stop();
  finish();
  await stopped;
  expect(ofType(await eventsIn(store), 'condensation')).toHaveLength(1);
});

test('a runner waits for another writer, and puts the summary in behind what that one has appended', async () => {
  const { open, store, finish } = await setUp();
  const ends: RunEnd[] = [];
  const runner = inProcessRunner({ open, onEnd: (end) => ends.push(end), retryMs: 5 });
  await runner.start();
  await runner.enqueue('a');
  while (ends.length === 0) await new Promise(setImmediate);
  const openForWriting = store.openForWriting?.bind(store);
  const writer = await openForWriting?.('a');
  let refusals = 0;
  store.openForWriting = async (id) => {
    refusals++;
    if (openForWriting === undefined) throw new Error('There is one.');
    return openForWriting(id);
  };
  finish();
  while (refusals < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(ofType(await eventsIn(store), 'condensation')).toEqual([]);
  await writer?.close();
  while (ofType(await eventsIn(store), 'condensation').length === 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
  await runner.stop();
});

test('a runner that is stopped gives a summary up after the grace', async () => {
  const { open, store } = await setUp();
  const ends: RunEnd[] = [];
  const runner = inProcessRunner({ open, onEnd: (end) => ends.push(end) });
  await runner.start();
  await runner.enqueue('a');
  while (ends.length === 0) await new Promise(setImmediate);
  await runner.stop({ graceMs: 10 });
  expect(ofType(await eventsIn(store), 'condensation')).toEqual([]);
});

test('a conversation that is closed gives the summary up: its model call ends', async () => {
  const { conversation, signal } = await setUp();
  await conversation.run();
  expect(signal()?.aborted).toBe(false);
  await conversation.close();
  expect(signal()?.aborted).toBe(true);
});
