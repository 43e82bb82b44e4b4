import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { defineTool, memoryEventStore } from '@palimpsest/events';
import { limitedLLM, memoryRateLimitStore, rateLimit } from '@palimpsest/llm-adapters';
import type { LLM } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { traced } from '../../test-support/traced.js';
import type { Traced } from '../../test-support/traced.js';
import { Agent } from '../agent.js';
import type { AgentOptions } from '../agent-options.js';
import { Conversation } from '../conversation/conversation.js';
import { instrumentedLLM } from '../instrumentation.js';
import { inProcessRunner } from '../runner/in-process-runner.js';
import { secretMask } from '../secrets/mask.js';
import { openTelemetry } from './index.js';

const task = 'Repair the ZEBRA parser.';
const token = 'zx81-spectrum-48k';
const words = ['ZEBRA', 'spectrum', 'OKAPI', 'GIRAFFE', 'IBEX', 'TAPIR', 'WALRUS', 'NARWHAL'];

let sdk: Traced;
const servers: ProviderServer[] = [];

beforeEach(() => {
  sdk = traced();
});

afterEach(async () => {
  await sdk.end();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

interface Answer {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: object }[];
}

interface Served {
  readonly answers: (index: number) => Answer;
  readonly faults?: Parameters<typeof openaiServer>[0]['faults'];
}

const retry = { minDelayMs: 1, maxDelayMs: 1 };

/** A model behind a real SDK. Condensers are answered with a summary and are not counted. */
const providers = {
  openai: async ({ answers, faults }: Served): Promise<LLM> => {
    let count = 0;
    const server = await openaiServer({
      faults: faults ?? [],
      reply: (body) => {
        const asked = JSON.stringify(body).includes('Summarise.');
        const { text, calls = [] } = asked ? { text: 'IBEX' } : answers(count++);
        const tool_calls = calls.map(({ name, input }, index) => ({
          id: `call_${count}_${index}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(input) },
        }));
        return { message: { role: 'assistant', content: text ?? null, ...(calls.length === 0 ? {} : { tool_calls }) } };
      },
    });
    servers.push(server);
    return openaiLLM({ model: 'gpt-4o', apiKey: 'key', baseURL: server.baseURL, retry });
  },
  anthropic: async ({ answers, faults }: Served): Promise<LLM> => {
    let count = 0;
    const server = await anthropicServer({
      faults: faults ?? [],
      reply: (body) => {
        const asked = JSON.stringify(body).includes('Summarise.');
        const { text, calls = [] } = asked ? { text: 'IBEX' } : answers(count++);
        const uses = calls.map(({ name, input }, index) => ({
          type: 'tool_use',
          id: `c_${count}_${index}`,
          name,
          input,
        }));
        return { content: [...(text === undefined ? [] : [{ type: 'text', text }]), ...uses] };
      },
    });
    servers.push(server);
    return anthropicLLM({ model: 'claude-haiku-4-5', apiKey: 'key', baseURL: server.baseURL, retry });
  },
};

const look = defineTool({
  name: 'look',
  description: 'Looks at a GIRAFFE.',
  input: z.object({ at: z.string() }),
  execute: () => trace.getTracer('app').startActiveSpan('a span of the tool', (span) => (span.end(), `OKAPI ${token}`)),
});
class NoSuchFile extends Error {
  override readonly name = 'NoSuchFile';
}
const fail = defineTool({
  name: 'fail',
  description: 'Fails.',
  input: z.object({}),
  execute: () => {
    throw new NoSuchFile(`NARWHAL ${token}`);
  },
});

/** Asks its model for a summary of all that may go, once the view has so many events. */
function summarising(llm: LLM, from: number): Condenser {
  return {
    name: 'summarising',
    condense: async (view, { signal }) => {
      if (view.events.length < from) return view;
      const question = { role: 'user', content: [{ type: 'text', text: 'Summarise.' }] } as const;
      await llm.complete({ messages: [question], ...(signal === undefined ? {} : { signal }) });
      const [tokensBefore, reason] = [view.tokens(), 'events'];
      const metadata = { condenser: 'summarising', reason, tokensBefore, tokensAfter: tokensBefore - 7 };
      return condensation({ view, start: 1, end: view.events.length, summary: 'IBEX', metadata });
    },
  };
}

async function opened(llm: LLM, options: Partial<AgentOptions> = {}, conversationId = 'c') {
  const store = memoryEventStore();
  const secrets = secretMask({ TOKEN: token });
  const instrumentation = await openTelemetry({ agentName: 'repairer' });
  const agent = new Agent({ llm, tools: [look, fail], systemPrompt: 'TAPIR', instrumentation, ...options });
  const again = () => Conversation.open({ agent, store, conversationId, secrets });
  return { agent, conversation: await again(), again, instrumentation };
}

const looks: Answer = { text: 'WALRUS', calls: [{ name: 'look', input: { at: 'WALRUS' } }] };
const outcomeOf = ({ attributes, events, status }: ReadableSpan): string =>
  [
    attributes['palimpsest.step.outcome'] ?? attributes['palimpsest.condensation.outcome'],
    attributes['error.type'],
    status.code === SpanStatusCode.ERROR ? 'ERROR' : undefined,
    attributes['palimpsest.interrupted'] === true ? 'interrupted' : undefined,
    ...events.map(({ name }) => name),
  ]
    .filter((told) => told !== undefined)
    .map((told) => ` · ${String(told)}`)
    .join('');

/** Everything that is exported of the spans, as one text. */
const exported = (): string =>
  JSON.stringify(
    sdk.spans().map(({ name, attributes, events, links, status }) => ({ name, attributes, events, links, status })),
  );

describe.each(['openai', 'anthropic'] as const)('over HTTP, %s', (provider) => {
  const model = provider === 'openai' ? 'gpt-4o' : 'claude-haiku-4-5';

  test('a run is a tree of spans by the names of the specification', async () => {
    const answers = (index: number): Answer =>
      [looks, { calls: [{ name: 'fail', input: {} }] }][index] ?? { text: 'Done, WALRUS.' };
    const llm = await providers[provider]({ answers, faults: [{ fault: 'overloaded' }] });
    const instrumentation = await openTelemetry({ agentName: 'repairer' });
    const condenser = summarising(instrumentedLLM(llm, instrumentation), 6);
    const { conversation } = await opened(llm, { condenser, instrumentation });
    await conversation.send(task);
    const outcome = await conversation.run({ onDelta: () => undefined });

    expect(outcome.status).toBe('finished');
    expect(shown(sdk.tree(outcomeOf))).toBe(
      `
invoke_agent repairer
  step · tool-calls
    chat ${model} · palimpsest.retry
      POST
      POST
    execute_tool look
      a span of the tool
  step · tool-calls
    chat ${model}
      POST
    execute_tool fail · NoSuchFile · ERROR
  step · condensation
    condense summarising · condensed
      chat ${model}
        POST
  step · message
    chat ${model}
      POST`.trim(),
    );
    const run = sdk.span('invoke_agent repairer');
    expect(run.kind).toBe(SpanKind.INTERNAL);
    expect(run.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'repairer',
      'gen_ai.conversation.id': 'c',
      'gen_ai.request.model': model,
      'palimpsest.run.outcome': 'finished',
      'palimpsest.run.iterations': 3,
      'palimpsest.run.condensations': 1,
    });
    const chats = sdk.spans().filter(({ name }) => name.startsWith('chat'));
    const sum = (name: string) => chats.reduce((total, { attributes }) => total + Number(attributes[name]), 0);
    expect(run.attributes['gen_ai.usage.input_tokens']).toBe(sum('gen_ai.usage.input_tokens'));
    expect(sum('gen_ai.usage.input_tokens')).toBeGreaterThan(0);

    const chat = sdk.span(`chat ${model}`);
    expect(chat.kind).toBe(SpanKind.CLIENT);
    expect(chat.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      'gen_ai.request.stream': true,
      'gen_ai.conversation.id': 'c',
      'gen_ai.response.finish_reasons': ['tool_call'],
      'gen_ai.usage.cache_read.input_tokens': expect.any(Number) as number,
      'gen_ai.usage.cache_write.input_tokens': expect.any(Number) as number,
      'gen_ai.response.time_to_first_chunk': expect.any(Number) as number,
      'palimpsest.purpose': 'agent',
    });
    const [retried] = chat.events;
    expect(retried?.attributes).toMatchObject({ 'error.type': 'service-unavailable', 'palimpsest.retry.attempt': 1 });
    const asked = chats.find(({ attributes }) => attributes['palimpsest.purpose'] === 'condenser');
    expect(asked?.attributes).toMatchObject({ 'gen_ai.conversation.id': 'c' });
    expect(asked?.attributes['gen_ai.request.stream']).toBeUndefined();

    const action = [...conversation.events].find(({ type }) => type === 'action');
    expect(sdk.span('execute_tool look').attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'look',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': action?.type === 'action' ? action.toolCall.id : undefined,
      'gen_ai.conversation.id': 'c',
      'palimpsest.action.id': action?.id,
    });
    const made = [...conversation.events].find((event) => event.type === 'condensation');
    const before = Number(made?.metadata?.['tokensBefore']);
    expect(sdk.span('condense summarising').attributes).toEqual({
      'gen_ai.conversation.id': 'c',
      'palimpsest.condensation.condenser': 'summarising',
      'palimpsest.condensation.outcome': 'condensed',
      'palimpsest.condensation.id': made?.id,
      'palimpsest.condensation.reason': 'events',
      'palimpsest.condensation.tokens_before': before,
      'palimpsest.condensation.tokens_after': before - 7,
      'palimpsest.condensation.saved_tokens': 7,
      'palimpsest.condensation.forgotten': made?.forgottenEventIds.length,
      'palimpsest.condensation.masked': 0,
      'palimpsest.condensation.summarized': true,
    });
    // Nothing that anybody said, nowhere.
    for (const word of [...words, token]) expect(exported()).not.toContain(word);
  });

  test('what is said is recorded when it is asked for, its secrets masked', async () => {
    const llm = await providers[provider]({ answers: (index) => (index === 0 ? looks : { text: 'Done.' }) });
    const { conversation } = await opened(llm, { instrumentation: await openTelemetry({ content: true }) });
    await conversation.send(`${task} The key is ${token}.`);
    await conversation.run();

    const { attributes } = sdk.span(`chat ${model}`, 1);
    expect(JSON.parse(String(attributes['gen_ai.system_instructions']))).toEqual([{ type: 'text', content: 'TAPIR' }]);
    const [asked, called, result] = JSON.parse(String(attributes['gen_ai.input.messages'])) as { parts: object[] }[];
    expect(asked).toEqual({
      role: 'user',
      parts: [{ type: 'text', content: `${task} The key is [secret TOKEN].` }],
    });
    expect(called?.parts.at(-1)).toMatchObject({ type: 'tool_call', name: 'look', arguments: { at: 'WALRUS' } });
    expect(JSON.stringify(result)).toContain('OKAPI [secret TOKEN]');
    expect(JSON.parse(String(attributes['gen_ai.output.messages']))).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'Done.' }], finish_reason: 'stop' },
    ]);
    expect(sdk.span('execute_tool look').attributes).toMatchObject({
      'gen_ai.tool.description': 'Looks at a GIRAFFE.',
      'gen_ai.tool.call.arguments': '{"at":"WALRUS"}',
      'gen_ai.tool.call.result': '"OKAPI [secret TOKEN]"',
    });
    expect(exported()).not.toContain(token);
  });

  test('a model that fails fails its call, its step and its run', async () => {
    const llm = await providers[provider]({ answers: () => ({}), faults: () => ({ fault: 'spend-limit' }) });
    const { conversation } = await opened(llm);
    await conversation.send(task);
    await expect(conversation.run()).rejects.toThrow();

    expect(shown(sdk.tree(outcomeOf))).toBe(
      `
invoke_agent repairer · rate-limit · ERROR
  step · rate-limit · ERROR
    chat ${model} · rate-limit · ERROR
      POST`.trim(),
    );
    for (const { name, status } of sdk.spans())
      if (!name.startsWith('anthropic')) expect(status.message).toBeUndefined();
  });

  test('an interrupted answer is no error', async () => {
    const faults = [{ fault: 'stall', afterEvents: 12 }] as const;
    const llm = await providers[provider]({ answers: () => ({ text: 'WALRUS '.repeat(500) }), faults });
    const { conversation } = await opened(llm);
    await conversation.send(task);
    const outcome = await conversation.run({ onDelta: () => conversation.interrupt() });

    expect(outcome.status).toBe('paused');
    expect(shown(sdk.tree(outcomeOf))).toBe(
      `
invoke_agent repairer · interrupted
  step · interrupted
    chat ${model} · interrupted
      POST`.trim(),
    );
  });
});

/** Anthropic's SDK makes a span of its own of each try, between ours and the request: left out here. */
const shown = (tree: string): string =>
  tree.replaceAll(/^ +anthropic\.messages\.create.*\n( +)POST$/gm, (_, indent: string) => `${indent.slice(2)}POST`);

const linksOf = ({ links }: ReadableSpan) =>
  links.map(({ context, attributes }) => ({ id: context.spanId, ...attributes }));

test('the next run, in another process too, links to the run before, and a fork to its origin', async () => {
  const llm = await providers.openai({ answers: (index) => (index === 0 ? looks : { text: 'Done.' }) });
  const { agent, conversation, again } = await opened(llm, { confirmation: 'always' });
  await conversation.send(task);
  expect((await conversation.run()).status).toBe('waiting-for-confirmation');
  const other = await again();
  await other.confirm();
  expect((await other.run()).status).toBe('finished');
  const fork = await other.fork({ conversationId: 'fork' });
  await fork.send('And now?');
  // A conversation inside a tool: its run is a child of the work around it.
  await trace.getTracer('app').startActiveSpan('outer', async (span) => {
    await fork.run();
    span.end();
  });

  const [first, second, third] = [0, 1, 2].map((index) => sdk.span('invoke_agent repairer', index));
  expect(first?.links).toEqual([]);
  expect(first?.attributes).toMatchObject({
    'palimpsest.run.outcome': 'waiting-for-confirmation',
    'palimpsest.run.waiting_actions': 1,
  });
  expect(linksOf(second!)).toEqual([
    {
      id: first?.spanContext().spanId,
      'gen_ai.conversation.id': 'c',
      'palimpsest.earlier.status': 'idle',
    },
  ]);
  expect(second?.spanContext().traceId).not.toBe(first?.spanContext().traceId);
  expect(linksOf(third!)).toEqual([
    { id: second?.spanContext().spanId, 'gen_ai.conversation.id': 'c', 'palimpsest.earlier.status': 'finished' },
  ]);
  expect(third?.attributes['gen_ai.conversation.id']).toBe('fork');
  expect(third?.parentSpanContext?.spanId).toBe(sdk.span('outer').spanContext().spanId);
  expect(agent.instrumentation).toBeDefined();
});

test('a run that a runner was asked for links to all who asked for it, and is a trace of its own', async () => {
  const llm = await providers.openai({ answers: () => ({ text: 'Done.' }) });
  const { conversation, agent, again } = await opened(llm);
  await conversation.send(task);
  let end: () => void = () => undefined;
  const ended = async (work: () => Promise<unknown>) => {
    const next = new Promise<void>((resolve) => (end = resolve));
    await work();
    await next;
  };
  const { instrumentation } = agent;
  if (instrumentation === undefined) throw new Error('the agent is not observed');
  const runner = inProcessRunner({ open: again, instrumentation, onEnd: () => end() });
  const asked = (name: string) =>
    trace.getTracer('app').startActiveSpan(name, async (span) => {
      await runner.enqueue('c');
      span.end();
    });
  await asked('message');
  await asked('approval');
  await ended(() => trace.getTracer('app').startActiveSpan('worker', () => runner.start()));
  await ended(async () => {
    await (await again()).send('And now?');
    await runner.enqueue('c');
  });
  await runner.stop();

  const [first, second] = [0, 1].map((index) => sdk.span('invoke_agent repairer', index));
  expect(linksOf(first!)).toEqual(
    ['message', 'approval'].map((name) => ({
      id: sdk.span(name).spanContext().spanId,
      'gen_ai.conversation.id': 'c',
      'palimpsest.link.type': 'request',
    })),
  );
  const beginning = sdk.span('begin invoke_agent repairer');
  expect(beginning.parentSpanContext).toBeUndefined();
  expect(linksOf(beginning)).toEqual(linksOf(first!));
  expect(first?.parentSpanContext?.spanId).toBe(beginning.spanContext().spanId);
  expect(linksOf(second!)).toMatchObject([{ id: beginning.spanContext().spanId }]);
});

test('a run that takes over one that never ended says so', async () => {
  const llm = await providers.openai({ answers: () => ({ text: 'Done.' }) });
  const { conversation, again } = await opened(llm);
  await conversation.send(task);
  const released = conversation.run();
  conversation.release();
  expect((await released).status).toBe('released');
  await (await again()).run();

  expect(linksOf(sdk.span('invoke_agent repairer', 1))).toEqual([
    {
      id: sdk.span('invoke_agent repairer').spanContext().spanId,
      'gen_ai.conversation.id': 'c',
      'palimpsest.earlier.status': 'running',
    },
  ]);
});

test('a condensation in the background: begun in one step, taken in another, which links to it', async () => {
  const llm = await providers.openai({ answers: (index) => (index < 3 ? looks : { text: 'Done.' }) });
  const instrumentation = await openTelemetry();
  const own = instrumentedLLM(llm, instrumentation);
  let begun: Promise<unknown> | undefined;
  let isTaken = false;
  const condenser: Condenser = {
    name: 'behind',
    condense: async (view) => {
      if (isTaken || view.events.length < 4) return view;
      if (begun === undefined) {
        begun = own.complete({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Summarise.' }] }] });
        return view;
      }
      await begun;
      isTaken = true;
      const metadata = { background: true, reason: 'Because ZEBRA is large.' };
      return condensation({ view, start: 1, end: view.events.length, summary: 'IBEX', metadata });
    },
  };
  const { conversation } = await opened(llm, { condenser, instrumentation });
  await conversation.send(task);
  await conversation.run();

  const [started, taken] = [sdk.span('condense behind'), sdk.span('condense behind', 1)];
  expect(started.attributes['palimpsest.condensation.outcome']).toBe('in-background');
  const asked = sdk.spans().find(({ attributes }) => attributes['palimpsest.purpose'] === 'condenser');
  expect(asked?.parentSpanContext?.spanId).toBe(started.spanContext().spanId);
  expect(taken.attributes).toMatchObject({
    'palimpsest.condensation.outcome': 'condensed',
    'palimpsest.condensation.background': true,
  });
  // A sentence is no reason of low cardinality, and may quote.
  expect(taken.attributes['palimpsest.condensation.reason']).toBeUndefined();
  expect(Number(taken.attributes['palimpsest.condensation.saved_tokens'])).toBe(
    Number(taken.attributes['palimpsest.condensation.tokens_before']) -
      Number(taken.attributes['palimpsest.condensation.tokens_after']),
  );
  expect(linksOf(taken)).toEqual([{ id: started.spanContext().spanId }]);
});

test('a condenser that fails is told as an error, and the run goes on', async () => {
  const llm = await providers.openai({ answers: () => ({ text: 'Done.' }) });
  const condenser: Condenser = {
    name: 'broken',
    condense: () => {
      throw new Error('NARWHAL');
    },
  };
  const { conversation } = await opened(llm, { condenser });
  await conversation.send(task);
  expect((await conversation.run()).status).toBe('finished');

  const { attributes, events } = sdk.span('condense broken');
  expect(attributes['error.type']).toBe('condensation-failed');
  expect(events.map((event) => event.attributes)).toEqual([{ 'palimpsest.condensation.attempt.outcome': 'failed' }]);
  expect(exported()).not.toContain('NARWHAL');
});

test('a model that is wrapped by hand too has one span a call', async () => {
  const instrumentation = await openTelemetry();
  const llm = await providers.openai({ answers: () => ({ text: 'Done.' }) });
  const { conversation } = await opened(instrumentedLLM(llm, instrumentation), { instrumentation });
  await conversation.send(task);
  await conversation.run();
  expect(await conversation.ask('Why?')).toBe('Done.');

  const chats = sdk.spans().filter(({ name }) => name === 'chat gpt-4o');
  expect(chats.map(({ attributes }) => attributes['palimpsest.purpose'])).toEqual(['agent', 'aside']);
});

test('a wait for a rate limit is told on the span of its call', async () => {
  const limit = rateLimit({ requestsPerMinute: 60, store: { ...memoryRateLimitStore(), reserve: async () => 5 } });
  const llm = limitedLLM(scriptedLLM({ script: ['Done.'] }), { limit });
  const { conversation } = await opened(llm);
  await conversation.send(task);
  await conversation.run();
  const [event] = sdk.span('chat scripted').events;
  expect(event?.name).toBe('palimpsest.rate_limit.wait');
  expect(event?.attributes).toEqual({
    'palimpsest.rate_limit.ahead': 0,
    'palimpsest.rate_limit.wait_ms': expect.any(Number) as number,
  });
});

test('a broken address in the log makes no link', async () => {
  const llm = await providers.openai({ answers: () => ({ text: 'Done.' }) });
  const { agent, conversation } = await opened(llm);
  const value = { traceparent: `00-${'0'.repeat(32)}-x`, conversationId: 'c' };
  await conversation.events.append(agent.createEvent('conversation-state-update', { key: 'traceparent', value }));
  await conversation.send(task);
  await conversation.run();

  expect(sdk.span('invoke_agent repairer').links).toEqual([]);
});

test('the metrics of the specification', async () => {
  const answers = (index: number): Answer =>
    [looks, { calls: [{ name: 'fail', input: {} }] }][index] ?? { text: 'Done.' };
  const llm = await providers.anthropic({ answers });
  const { conversation } = await opened(llm);
  await conversation.send(task);
  await conversation.run({ onDelta: () => undefined });

  const model = { 'gen_ai.request.model': 'claude-haiku-4-5' };
  const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'anthropic', ...model };
  const answered = { ...call, 'gen_ai.response.model': 'claude-haiku-4-5' };
  const counted = async (name: string) =>
    (await sdk.metric(name)).map(({ value, attributes }) => ({
      count: (value as { readonly count: number }).count,
      ...attributes,
    }));
  expect(await counted('gen_ai.client.inference.duration')).toEqual([{ count: 3, ...answered }]);
  expect(await counted('gen_ai.client.inference.time_to_first_chunk')).toEqual([{ count: 3, ...call }]);
  expect(await counted('gen_ai.client.inference.operation.input_tokens')).toEqual([{ count: 3, ...answered }]);
  const { attributes } = sdk.span('invoke_agent repairer');
  expect(await sdk.metric('gen_ai.client.inference.usage.input_tokens')).toEqual([
    { value: attributes['gen_ai.usage.input_tokens'], attributes: { ...answered, 'gen_ai.token.modality': 'unknown' } },
  ]);
  const tool = (name: string) => ({ count: 1, 'gen_ai.tool.name': name, 'gen_ai.tool.type': 'function' });
  expect(await counted('gen_ai.execute_tool.duration')).toEqual([
    tool('look'),
    { ...tool('fail'), 'error.type': 'NoSuchFile' },
  ]);
  const agent = { 'gen_ai.agent.name': 'repairer' };
  expect(await counted('gen_ai.invoke_agent.duration')).toEqual([{ count: 1, ...agent }]);
  const [calls] = await sdk.metric('gen_ai.invoke_agent.tool_calls');
  expect(calls).toMatchObject({ attributes: agent, value: { count: 1, sum: 2 } });
});
