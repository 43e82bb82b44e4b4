import { defineTool, memoryEventStore } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import { condensation, View } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Agent, cacheDriftKey, Conversation } from '../index.js';
import type { CacheDriftReport } from '../index.js';

const apiKey = 'sk-test-0123456789abcdef';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ at: z.number() }),
  execute: ({ at }) => `line ${at} of it\n`.repeat(400),
});

/** Forgets the older half of a view of more than 14 events. */
const halving: Condenser = {
  name: 'halving',
  handlesCondensationRequests: true,
  condense: (view) =>
    view.events.length > 14 ? condensation({ view, start: 2, end: view.events.length - 6, summary: 'Looked.' }) : view,
};

async function claude(): Promise<LLM> {
  const server = await anthropicServer({
    apiKey,
    reply: (_body, index) => ({
      content:
        index % 12 === 11
          ? [{ type: 'text', text: 'Done.' }]
          : [{ type: 'tool_use', id: `toolu_${index}`, name: 'look', input: { at: index } }],
    }),
  });
  onTestFinished(() => server.close());
  return anthropicLLM({ model: 'claude-opus-5-5', apiKey, baseURL: server.baseURL });
}

/** A server whose cache holds nothing for the calls before one, because its clock goes on by an hour at each. */
async function gpt(model: string, forgetsBefore: number): Promise<LLM> {
  let hours = 0;
  const server = await openaiServer({
    apiKey,
    now: () => new Date(Date.UTC(2026, 10, 22) + hours * 3_600_000),
    reply: (_body, index) => {
      if (index + 1 < forgetsBefore) hours++;
      const at = { id: `call_${index}`, type: 'function', function: { name: 'look', arguments: `{"at":${index}}` } };
      return { message: index % 12 === 11 ? { content: 'Done.' } : { content: '', tool_calls: [at] } };
    },
  });
  onTestFinished(() => server.close());
  return openaiLLM({ model, server: 'openai', apiKey, baseURL: server.baseURL });
}

async function conversationWith(llm: LLM, condenser?: Condenser) {
  const heard: CacheDriftReport[] = [];
  const store = memoryEventStore();
  // A new process has a new agent.
  const open = () =>
    Conversation.open({
      conversationId: 'c',
      store,
      agent: new Agent({
        llm,
        systemPrompt: 'Be exact. '.repeat(600),
        tools: [look],
        condenser,
        onCacheDrift: (report) => heard.push(report),
      }),
    });
  const say = async () => {
    const conversation = await open();
    await conversation.send('Look.');
    await conversation.run();
    await conversation.close();
    const log: Event[] = [];
    for await (const event of store.read('c')) log.push(event);
    return log;
  };
  const logged = (log: readonly Event[]) =>
    log.flatMap((event) =>
      event.type === 'conversation-state-update' && event.key === cacheDriftKey ? [event.value] : [],
    );
  return { say, heard, logged };
}

test.each([
  ['without a condenser', undefined],
  ['with condensations', halving],
])('where the cache reads what it should, nothing is logged: %s', async (_, condenser) => {
  const { say, heard, logged } = await conversationWith(await claude(), condenser);
  await say();
  const log = await say();
  const usages = log.flatMap((event) => (event.type === 'llm-usage' ? [event.usage.cacheReadTokens] : []));
  expect(usages.filter((tokens) => tokens > 1_024).length).toBeGreaterThan(15);
  expect(log.filter(({ type }) => type === 'condensation').length > 0).toBe(condenser !== undefined);
  expect(logged(log)).toEqual([]);
  expect(heard).toEqual([]);
});

test('a cache that does not read is reported once, across a restart, and once when it reads again', async () => {
  const { say, heard, logged } = await conversationWith(await gpt('gpt-5.5', 18));
  await say();
  expect(heard.map(({ state }) => state)).toEqual(['begun']);
  const log = await say();
  expect(logged(log)).toMatchObject([
    { state: 'begun', model: 'gpt-5.5', reportedReadTokens: 0, reason: 'not-reported' },
    { state: 'ended', model: 'gpt-5.5' },
  ]);
  expect(heard).toEqual(logged(log));
  const [begun, ended] = heard;
  expect(begun?.expectedReadTokens).toBeGreaterThan(2_000);
  expect(ended?.reportedReadTokens).toBeGreaterThan(1_024);
  // Older versions read the event as any other state.
  expect(View.fromEvents(log).notes.length).toBe(0);
});

test('a prefix that the provider has not found is reported as changed', async () => {
  const { say, heard } = await conversationWith(await gpt('gpt-6.1-sol', 20));
  await say();
  expect(heard).toMatchObject([{ state: 'begun', reason: 'prefix-changed', changedAtMessage: 0 }]);
});
