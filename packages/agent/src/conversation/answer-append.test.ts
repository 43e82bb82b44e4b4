import { ConcurrencyError, createEvent, defineTool, memoryEventStore } from '@palimpsest/events';
import type { ConversationWriter, Event, EventStore } from '@palimpsest/events';
import { ContextWindowExceededError, MalformedHistoryError } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import type { AgentOptions } from '../agent-options.js';
import { Conversation } from './conversation.js';
import { readOutputTool } from '../tool-calls/built-in-tools.js';

const types = (events: readonly Event[]) => events.map(({ type }) => type);
const repeated = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

/** A memory store that is wrapped, as a host would wrap one, and keeps what each append held. */
function wrappedStore({ hasWriter = true, before = async (_: readonly Event[]) => {} } = {}) {
  const inner = memoryEventStore();
  const appends: (readonly Event[])[] = [];
  const counted = async <T>(events: readonly Event[], append: () => Promise<T>): Promise<T> => {
    await before(events);
    const result = await append();
    // A log asks a writer for the version by an append of nothing.
    if (events.length > 0) appends.push(events);
    return result;
  };
  const store: EventStore = {
    append: (id, events, options) => counted(events, () => inner.append(id, events, options)),
    read: (id, options) => inner.read(id, options),
    list: () => inner.list(),
  };
  if (!hasWriter) return { store, inner, appends };
  const openForWriting = async (id: string): Promise<ConversationWriter> => {
    const writer = await inner.openForWriting?.(id);
    if (writer === undefined) throw new Error('the memory store has a writer');
    return {
      append: (events, options) => counted(events, () => writer.append(events, options)),
      close: () => writer.close(),
    };
  };
  return { store: { ...store, openForWriting }, inner, appends };
}

/** A tool that counts how often it ran, and an answer that calls it so often. */
function counter() {
  let runs = 0;
  const tool = defineTool({
    name: 'count',
    description: 'Counts.',
    input: z.object({ text: z.string().default('') }),
    execute: ({ text }) => `${++runs}${text}`,
  });
  const calls = (count: number) => ({ text: 'I count.', toolCalls: repeated(count, { name: 'count' }) });
  return { tool, calls, runs: () => runs };
}

async function conversationOf(script: Script, store: EventStore, options: Partial<AgentOptions> = {}) {
  const llm = scriptedLLM({ script });
  const conversation = await Conversation.open({ agent: new Agent({ llm, ...options }), store, conversationId: 'c' });
  await conversation.send('Go.');
  return conversation;
}

async function storedIn(store: EventStore): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const event of store.read('c')) events.push(event);
  return events;
}

describe.each([{ hasWriter: true }, { hasWriter: false }])('a wrapped store, writer: $hasWriter', ({ hasWriter }) => {
  test('an answer of 13 events is one append; results are appended as they come', async () => {
    const { store, appends } = wrappedStore({ hasWriter });
    const { tool, calls } = counter();
    const conversation = await conversationOf([calls(12), 'Done.'], store, { tools: [tool] });
    await conversation.run();
    expect(appends.map(types)).toEqual([
      ['system-prompt'],
      ['message'],
      ['conversation-state-update'],
      ['llm-usage', ...repeated(12, 'action')],
      ...repeated(12, ['observation']),
      ['llm-usage', 'message'],
      ['conversation-state-update'],
    ]);
    expect(appends.flat()).toEqual([...conversation.events]);
  });

  test('observers see single events in their order, when all of the answer are stored', async () => {
    const { store, appends } = wrappedStore({ hasWriter });
    const { tool, calls } = counter();
    const conversation = await conversationOf([calls(12), 'Done.'], store, { tools: [tool] });
    const seen: Event[] = [];
    const storedThen: number[] = [];
    conversation.events.observe((event) => {
      seen.push(event);
      storedThen.push(appends.flat().length);
    });
    await conversation.run();
    expect(seen).toEqual(appends.flat().slice(2));
    const first = seen.findIndex(({ type }) => type === 'llm-usage');
    // Two events before the run, the status, and the 13 of the answer.
    expect(storedThen.slice(first, first + 13)).toEqual(repeated(13, 16));
  });

  test('a store that fails: no event of the answer is seen, no call is carried out, and a later run goes on', async () => {
    let fails = true;
    const { store, inner, appends } = wrappedStore({
      hasWriter,
      before: async (events) => {
        if (fails && events.some(({ type }) => type === 'action')) throw new Error('disk full');
      },
    });
    const { tool, calls, runs } = counter();
    const conversation = await conversationOf([calls(12), calls(12), 'Done.'], store, { tools: [tool] });
    const seen: Event[] = [];
    conversation.events.observe((event) => void seen.push(event));
    await expect(conversation.run()).rejects.toThrow('disk full');
    expect(types(seen)).toEqual(['conversation-state-update', 'conversation-error', 'conversation-state-update']);
    expect(types(await storedIn(inner))).not.toContain('action');
    expect(types(await storedIn(inner))).not.toContain('llm-usage');
    expect(conversation.view.events.length).toBe(2);
    expect(runs()).toBe(0);

    fails = false;
    expect(await conversation.run()).toMatchObject({ status: 'finished' });
    expect(runs()).toBe(12);
    expect(appends.flat()).toEqual([...conversation.events]);
  });
});

test('a lost race: nothing of the answer is stored or seen, and no call is carried out', async () => {
  let isRaced = false;
  const raced = wrappedStore({
    hasWriter: false,
    before: async (events) => {
      if (isRaced || !events.some(({ type }) => type === 'action')) return;
      isRaced = true;
      await raced.inner.append('c', [createEvent('pause', {})]);
    },
  });
  const { tool, calls, runs } = counter();
  const conversation = await conversationOf([calls(12)], raced.store, { tools: [tool] });
  const error: unknown = await conversation.run().catch((thrown: unknown) => thrown);
  expect((error as Error).cause).toBeInstanceOf(ConcurrencyError);
  expect(types(await storedIn(raced.inner))).toEqual([
    'system-prompt',
    'message',
    'conversation-state-update',
    'pause',
  ]);
  expect(types([...conversation.events])).toEqual(['system-prompt', 'message', 'conversation-state-update']);
  expect(runs()).toBe(0);
});

describe('what belongs to one answer', () => {
  const appendsOf = async (script: Script, options: Partial<AgentOptions> = {}, run = {}) => {
    const { store, appends } = wrappedStore();
    const conversation = await conversationOf(script, store, options);
    await conversation.run(run);
    return appends.map(types).filter((batch) => !batch.includes('conversation-state-update'));
  };
  const user = ['message'];
  const said = ['llm-usage', 'message'];

  test('an answer without words or calls, and the correction', async () => {
    expect(await appendsOf([{ text: '' }, 'Done.'])).toEqual([user, ['llm-usage', 'message', 'message'], said]);
  });

  test('an answer that the user interrupts, with the note that it was cut off', async () => {
    const stop = new AbortController();
    const script: Script = [{ text: 'I begin to', until: new Promise(() => undefined) }];
    const run = { signal: stop.signal, onDelta: () => stop.abort() };
    expect(await appendsOf(script, {}, run)).toEqual([user, ['llm-usage', 'message', 'message'], ['pause']]);
  });

  test('an answer without thinking, and the record that thinking is off', async () => {
    const thinkingBlocks = [{ type: 'thinking' as const, thinking: 'Hm.', signature: 'signed' }];
    const refusal = new MalformedHistoryError('bad thinking', { provider: 'scripted' });
    const { store, appends } = wrappedStore();
    const { tool, calls } = counter();
    const script: Script = [{ ...calls(1), thinkingBlocks }, refusal, 'Done.'];
    await (await conversationOf(script, store, { tools: [tool] })).run();
    expect(appends.map(types).slice(-2)).toEqual([
      ['conversation-state-update', 'llm-usage', 'message'],
      ['conversation-state-update'],
    ]);
  });

  test('the reports of a condenser, then its condensation', async () => {
    const reporting: Condenser = {
      name: 'reporting',
      handlesCondensationRequests: true,
      condense: (view, { report }) => {
        if (!view.unhandledCondensationRequest) return view;
        report?.({ outcome: 'tried', reason: 'one' });
        report?.({ outcome: 'tried', reason: 'two' });
        return condensation({ view, start: 2, end: 4, summary: 'It counted.' });
      },
    };
    const { tool, calls } = counter();
    const overflow = new ContextWindowExceededError('too long', { provider: 'scripted', kind: 'input' });
    const script: Script = [calls(1), overflow, 'Done.'];
    expect(await appendsOf(script, { tools: [tool], condenser: reporting })).toEqual([
      ['system-prompt'],
      user,
      ['llm-usage', 'action'],
      ['observation'],
      ['condensation-request'],
      ['condensation-attempt', 'condensation-attempt'],
      ['condensation'],
      said,
    ]);
  });

  test('a result, and the whole of its output', async () => {
    const { tool, calls } = counter();
    const long: Script = [
      { toolCalls: [{ name: 'count', arguments: { text: 'x'.repeat(5_000) } }] },
      calls(1),
      'Done.',
    ];
    const options = { tools: [tool, readOutputTool()], output: { maxCharacters: 500 } };
    expect((await appendsOf(long, options)).slice(3, 6)).toEqual([
      ['agent/tool-output', 'observation'],
      ['llm-usage', 'action'],
      ['observation'],
    ]);
  });

  test('a run that is stuck ends after whole answers', async () => {
    const { store, appends } = wrappedStore();
    const same = { toolCalls: [{ name: 'missing' }, { name: 'missing' }] };
    const conversation = await conversationOf(() => same, store);
    expect(await conversation.run()).toMatchObject({ status: 'stuck' });
    const answers = appends.map(types).filter((batch) => batch.includes('llm-usage'));
    expect(answers).toEqual(repeated(answers.length, ['llm-usage', 'action', 'action']));
    expect(answers.length).toBeGreaterThan(1);
  });

  test('the answers to what an earlier run left open', async () => {
    const { store, appends } = wrappedStore();
    const { tool, calls } = counter();
    const conversation = await conversationOf([calls(3)], store, { tools: [tool], confirmation: 'always' });
    await conversation.run();
    await conversation.reject();
    expect(appends.map(types).slice(-2)).toEqual([
      repeated(3, 'user-reject-observation'),
      ['conversation-state-update'],
    ]);
  });
});
