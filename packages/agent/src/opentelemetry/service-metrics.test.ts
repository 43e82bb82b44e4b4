import { defineTool, memoryEventStore } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { traced } from '../../test-support/traced.js';
import type { Traced } from '../../test-support/traced.js';
import { Agent } from '../agent.js';
import { Conversation } from '../conversation/conversation.js';
import { inProcessRunner } from '../runner/in-process-runner.js';
import { openTelemetry, runnerMetrics } from './index.js';
import type { RequestCounts } from './index.js';

let sdk: Traced;
beforeEach(() => {
  sdk = traced();
});
afterEach(() => sdk.end());

const input = z.object({});
const call = { toolCalls: [{ id: '1', name: 'look', arguments: '{}' }] };

test('actions that were lost and runs that were taken over are counted', async () => {
  const store = memoryEventStore();
  let isIn: () => void = () => undefined;
  const inside = new Promise<void>((resolve) => (isIn = resolve));
  const hang = defineTool({
    name: 'look',
    description: 'Looks, and does not come back.',
    input,
    execute: () => {
      isIn();
      return new Promise<string>(() => undefined);
    },
  });
  const instrumentation = await openTelemetry();
  const open = (llm: ReturnType<typeof scriptedLLM>) =>
    Conversation.open({ agent: new Agent({ llm, tools: [hang], instrumentation }), store, conversationId: 'c' });
  const died = await open(scriptedLLM({ script: [call] }));
  await died.send('Look.');
  void died.run();
  await inside;
  // What its process would leave behind.
  const copy = memoryEventStore();
  await copy.append('c', died.events.slice());
  const agent = new Agent({ llm: scriptedLLM({ script: ['Done.'], idPrefix: 'b' }), tools: [hang], instrumentation });
  const next = await Conversation.open({ agent, store: copy, conversationId: 'c' });
  await next.run();
  expect(await sdk.metric('palimpsest.action.lost')).toEqual([{ value: 1, attributes: {} }]);
  expect(await sdk.metric('palimpsest.run.takeovers')).toEqual([{ value: 1, attributes: {} }]);
});

test('condensations are counted, with what they saved', async () => {
  let isMade = false;
  const condenser: Condenser = {
    name: 'oldest',
    condense: async (view) => {
      if (isMade || view.events.length < 6) return view;
      isMade = true;
      const metadata = { costUsd: 0.5, tokensBefore: 100, tokensAfter: 60 };
      return condensation({ view, start: 1, end: view.events.length - 1, summary: 'Before.', metadata });
    },
  };
  const agent = new Agent({
    llm: scriptedLLM({ script: ['One.', 'Two.', 'Three.', 'Four.'] }),
    condenser,
    instrumentation: await openTelemetry(),
  });
  const conversation = await Conversation.open({ agent });
  for (const text of ['First.', 'Second.', 'Third.', 'Fourth.']) {
    await conversation.send(text);
    await conversation.run();
  }
  const attributes = {
    'palimpsest.condensation.condenser': 'oldest',
    'palimpsest.condensation.outcome': 'condensed',
  };
  expect(await sdk.metric('palimpsest.condensations')).toEqual([{ value: 1, attributes }]);
  expect(await sdk.metric('palimpsest.condensation.saved_tokens')).toEqual([{ value: 40, attributes }]);
  expect(await sdk.metric('palimpsest.condensation.cost')).toEqual([{ value: 0.5, attributes }]);
});

test('what a worker of a runner had ended when it died has its parents in the trace', async () => {
  let isIn: () => void = () => undefined;
  const inside = new Promise<void>((resolve) => (isIn = resolve));
  const hang = defineTool({
    name: 'hang',
    description: 'Does not come back.',
    input,
    execute: () => {
      isIn();
      return new Promise<string>(() => undefined);
    },
  });
  const look = defineTool({ name: 'look', description: 'Looks.', input, execute: () => 'Seen.' });
  const both = { toolCalls: [...call.toolCalls, { id: '2', name: 'hang', arguments: '{}' }] };
  const store = memoryEventStore();
  const agent = new Agent({
    llm: scriptedLLM({ script: [call, both] }),
    tools: [look, hang],
    instrumentation: await openTelemetry(),
  });
  const open = () => Conversation.open({ agent, store, conversationId: 'c' });
  await (await open()).send('Look twice.');
  const runner = inProcessRunner({ open, onEnd: () => undefined });
  await runner.enqueue('c');
  await runner.start();
  await inside;
  // What is exported by now is all that a killed process leaves.
  const spans = sdk.spans();
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const orphans = spans.filter(({ parentSpanContext: parent }) => parent !== undefined && !ids.has(parent.spanId));
  expect(orphans.map(({ name }) => name)).toEqual([]);
  expect(spans.map(({ name }) => name)).toEqual([
    ...['begin invoke_agent', 'begin step', 'chat scripted', 'execute_tool look', 'step'],
    ...['begin step', 'chat scripted', 'execute_tool look'],
  ]);
});

test('a runner is counted now and then, and not at each scrape', async () => {
  let asked = 0;
  let counts: () => RequestCounts = () => ({ waiting: 7, delayed: 2, running: 3, deadLetters: 1, oldestMs: 60_000 });
  const reported = await runnerMetrics({
    runner: {
      status: async () => ({ isWorking: true, running: ['a', 'b'], queued: 7 }),
      counts: async () => {
        asked++;
        return counts();
      },
    },
    maxConcurrentRuns: 5,
    refreshMs: 3_600_000,
  });
  const requests = (state: string, value: number) => ({ value, attributes: { state } });
  for (let scrape = 0; scrape < 3; scrape++) {
    expect(await sdk.metric('palimpsest.runner.requests')).toEqual([
      ...[requests('waiting', 7), requests('delayed', 2), requests('running', 3)],
    ]);
    expect(await sdk.metric('palimpsest.runner.places')).toEqual([requests('taken', 2), requests('free', 3)]);
    expect(await sdk.metric('palimpsest.runner.dead_letters')).toEqual([{ value: 1, attributes: {} }]);
    const [age] = await sdk.metric('palimpsest.runner.oldest_request.age');
    expect(age?.value).toBeGreaterThanOrEqual(60);
  }
  expect(asked).toBe(1);
  counts = () => ({ waiting: 0, delayed: 0, running: 0, deadLetters: 0, oldestMs: 0 });
  await reported.refresh();
  expect((await sdk.metric('palimpsest.runner.oldest_request.age'))[0]?.value).toBe(0);
  counts = () => {
    throw new Error('the database is gone');
  };
  const ageOf = async () => Number((await sdk.metric('palimpsest.runner.count.age'))[0]?.value);
  const age = await ageOf();
  await reported.refresh();
  expect(await sdk.metric('palimpsest.runner.requests')).toContainEqual(requests('waiting', 0));
  expect(await ageOf()).toBeGreaterThan(age);
  reported.end();
});
