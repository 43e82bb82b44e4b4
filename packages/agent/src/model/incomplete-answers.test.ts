import { createEvent, defineTool } from '@palimpsest/events';
import type { Event, MessageEvent } from '@palimpsest/events';
import { ContentPolicyError, costOf, totalInputTokens } from '@palimpsest/llm-adapters';
import type { Delta, LLM } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import type { AnthropicServerOptions, OpenAIServerOptions, ProviderServer } from '@palimpsest/provider-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import type { AgentOptions } from '../agent-options.js';
import { Conversation } from '../conversation/conversation.js';
import { secretMask } from '../secrets/mask.js';

// Answers that do not become complete. The provider packages talk over HTTP to servers that enforce the providers' rules, so
// a run that goes on after a cut-off answer has sent valid requests.

const apiKey = 'sk-test-0123456789abcdef';
const prices = { input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 };

/** The first three answers hold thinking, text and a call; the next one is the last. */
const isLast = (index: number) => index >= 3;
const thoughtOf = (index: number) => `Thought ${index}: so and so.`;
const textOf = (index: number) => `Words ${index}: this and that.`;
const pathOf = (index: number) => `some/path/to/${index}.ts`;
const inputOf = (index: number) => JSON.stringify({ path: pathOf(index) });

interface Wire {
  readonly name: string;
  readonly start: (
    faults: AnthropicServerOptions['faults'],
    attempts?: number,
  ) => Promise<{ readonly server: ProviderServer; readonly llm: LLM }>;
}

const anthropic = (model: string): Wire => ({
  name: `Anthropic, ${model}`,
  start: async (faults, attempts = 1) => {
    const server = await anthropicServer({
      apiKey,
      faults,
      reply: (_, index) => ({
        content: isLast(index)
          ? [{ type: 'text', text: 'Done.' }]
          : [
              { type: 'thinking', thinking: thoughtOf(index) },
              { type: 'text', text: textOf(index) },
              { type: 'tool_use', id: `toolu_${index}`, name: 'read', input: { path: pathOf(index) } },
            ],
      }),
    });
    const retry = { attempts, minDelayMs: 1 };
    return {
      server,
      llm: anthropicLLM({
        model,
        apiKey,
        baseURL: server.baseURL,
        retry,
        prices,
        thinking: 'on',
        maxOutputTokens: 3_000,
      }),
    };
  },
});

const chat = (
  profile: NonNullable<OpenAIServerOptions['profile']>,
  server: 'deepseek' | 'mistral' | 'strict-template',
): Wire => ({
  name: `Chat Completions, ${profile}`,
  start: async (faults, attempts = 1) => {
    const started = await openaiServer({
      apiKey,
      profile,
      pieceSize: 12,
      faults,
      reply: (_, index) => ({
        message: isLast(index)
          ? { content: 'Done.' }
          : {
              reasoning_content: thoughtOf(index),
              content: textOf(index),
              tool_calls: [
                { id: `call_${index}`, type: 'function', function: { name: 'read', arguments: inputOf(index) } },
              ],
            },
      }),
    });
    const retry = { attempts, minDelayMs: 1 };
    return { server: started, llm: openaiLLM({ model: 'm', server, apiKey, baseURL: started.baseURL, retry }) };
  },
});

const responses: Wire = {
  name: 'Responses',
  start: async (faults, attempts = 1) => {
    const server = await openaiServer({
      apiKey,
      pieceSize: 12,
      faults,
      reply: (_, index) => ({
        output: isLast(index)
          ? [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }]
          : [
              { type: 'reasoning', summary: [{ type: 'summary_text', text: thoughtOf(index) }] },
              { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: textOf(index) }] },
              { type: 'function_call', call_id: `call_${index}`, name: 'read', arguments: inputOf(index) },
            ],
      }),
    });
    const retry = { attempts, minDelayMs: 1 };
    const options = { model: 'gpt-6.1-sol', server: 'openai', api: 'responses' } as const;
    return { server, llm: openaiLLM({ ...options, apiKey, baseURL: server.baseURL, retry }) };
  },
};

const wires: readonly Wire[] = [
  anthropic('claude-opus-5-5'),
  anthropic('claude-opus-4-8'),
  anthropic('claude-haiku-4-5'),
  chat('deepseek', 'deepseek'),
  chat('mistral', 'mistral'),
  chat('strict-template', 'strict-template'),
  responses,
];

async function open(llm: LLM, options: Partial<AgentOptions> = {}) {
  const reads: string[] = [];
  const read = defineTool({
    name: 'read',
    description: 'Reads a file.',
    input: z.object({ path: z.string() }),
    execute: (input) => {
      reads.push(input.path);
      return 'export {};';
    },
  });
  const agent = new Agent({ llm, systemPrompt: 'Read.', tools: [read], ...options });
  const conversation = await Conversation.open({ agent });
  await conversation.send('Read it.');
  return { conversation, reads };
}

const messagesIn = (events: Iterable<Event>) =>
  [...events].filter((event): event is MessageEvent => event.type === 'message');
const cutOffIn = (events: Iterable<Event>) => messagesIn(events).filter(({ cutOff }) => cutOff !== undefined);
const ofType = (events: Iterable<Event>, type: Event['type']) => [...events].filter((event) => event.type === type);
const wordsIn = ({ content }: MessageEvent) => content.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** Returns what a listener still shows after the last delta. */
function shown(deltas: readonly Delta[]) {
  const sum = { text: '', thinking: '', name: '', arguments: '' };
  for (const delta of deltas.slice(1 + deltas.findLastIndex(({ type }) => type === 'restart'))) {
    if (delta.type === 'tool-call') {
      sum.name += delta.name ?? '';
      sum.arguments += delta.arguments;
    } else if (delta.type !== 'restart') sum[delta.type] += delta.text;
  }
  return sum;
}

/** A refused history would have been sent once more, without thinking. */
const expectNothingRefused = (events: Iterable<Event>) =>
  expect(ofType(events, 'conversation-state-update')).not.toContainEqual(expect.objectContaining({ key: 'thinking' }));

/** Each second place of every other wire but where CI tests thoroughly; the wires begin at different ones. */
const stride = process.env['PALIMPSEST_THOROUGH'] === 'true' ? 1 : 2;
const chosen = wires.filter((_, index) => index % stride === 0);

describe.each(chosen.map((wire, index) => ({ ...wire, first: index % stride })))('$name', (wire) => {
  test('wherever the user interrupts, the shown part is in the log, and the model reads that it was cut off', async () => {
    const phases = new Set<string>();
    for (let count = 1 + wire.first; ; count += stride) {
      const { server, llm } = await wire.start(undefined);
      onTestFinished(() => server.close());
      const { conversation, reads } = await open(llm);
      // The second answer, which stands inside a loop of calls.
      const deltas: Delta[] = [];
      const aborter = new AbortController();
      const onDelta = (delta: Delta) => {
        if (reads.length !== 1 || deltas.length >= count) return;
        deltas.push(delta);
        if (deltas.length < count) return;
        // Both ways to interrupt have the same effect.
        if (Math.ceil(count / stride) % 2 === 0) conversation.interrupt();
        else aborter.abort();
      };
      const { status } = await conversation.run({ onDelta, signal: aborter.signal });
      if (deltas.length < count) break;
      expect(status).toBe('paused');
      phases.add(deltas.at(-1)?.type ?? '');
      const was = shown(deltas);
      const [cut, ...more] = cutOffIn(conversation.events);
      expect(more).toEqual([]);
      expect({
        text: cut === undefined ? undefined : wordsIn(cut),
        thinking: cut?.cutOff?.thinking ?? '',
        name: cut?.cutOff?.toolCalls?.map(({ name }) => name).join('') ?? '',
        arguments: cut?.cutOff?.toolCalls?.map((call) => call.arguments).join('') ?? '',
      }).toEqual(was);

      if (count % 3 === 0) await conversation.send('Go on.');
      const outcome = await conversation.run({ onDelta: () => undefined });
      expect(outcome).toMatchObject({ status: 'finished', answer: 'Done.' });
      expectNothingRefused(conversation.events);
      expect(server.requests).toHaveLength(4);
      expect(reads).toEqual([pathOf(0), pathOf(2)]);
      const next = JSON.stringify(server.requests[2]?.body);
      expect(next).toContain('Your last response was interrupted');
      if (was.text !== '') expect(next).toContain(was.text);
      expect(next).not.toContain('Thought 1');
      expect(next).not.toContain('some/path/to/1');
      expect(next.includes("call of 'read' that it had begun was not carried out")).toBe(was.name === 'read');
    }
    expect([...phases].sort()).toEqual(['text', 'thinking', 'tool-call']);
  });

  test('wherever the connection breaks, the run goes on, and the piece stands in the log, where no model reads it', async () => {
    const phases = new Set<string>();
    for (let afterEvents = wire.first; ; afterEvents += stride) {
      const { server, llm } = await wire.start([undefined, { fault: 'cut', afterEvents }], 2);
      onTestFinished(() => server.close());
      const { conversation, reads } = await open(llm);
      const deltas: Delta[] = [];
      const onDelta = (delta: Delta) => (reads.length === 1 ? deltas.push(delta) : undefined);
      const outcome = await conversation.run({ onDelta });
      expect(outcome).toMatchObject({ status: 'finished', answer: 'Done.' });
      expectNothingRefused(conversation.events);
      expect(cutOffIn(conversation.events)).toEqual([]);
      expect(server.requests).toHaveLength(4);
      // Only the end of the answer was lost.
      if (reads.length === 3) break;
      expect(reads).toEqual([pathOf(0), pathOf(2)]);
      const restart = deltas.findIndex(({ type }) => type === 'restart');
      const voided = shown(deltas.slice(0, Math.max(0, restart)));
      const broken = [...conversation.events].filter((event) => event.type === 'broken-response');
      const { text, thinking, name } = voided;
      if (text + thinking + name === '') expect(broken.every(({ content }) => content.length === 0)).toBe(true);
      else {
        phases.add(deltas[restart - 1]?.type ?? '');
        expect(broken).toMatchObject([
          {
            content: text === '' ? [] : [{ type: 'text', text }],
            ...(thinking === '' ? {} : { thinking }),
            ...(name === '' ? {} : { toolCalls: [{ name, arguments: voided.arguments }] }),
          },
        ]);
      }
      expect(shown(deltas)).toMatchObject({ text: textOf(2), arguments: inputOf(2) });
      expect(server.requests[2]?.body).toEqual(server.requests[1]?.body);
      expect(JSON.stringify(server.requests[3]?.body)).not.toMatch(/(Thought|Words) 1|path\/to\/1/);
    }
    expect([...phases].sort()).toEqual(['text', 'thinking', 'tool-call']);
  });

  test('a connection that breaks each time ends the run in a typed error, and a later run goes on', async () => {
    const cut = { fault: 'cut', afterEvents: 9 } as const;
    const { server, llm } = await wire.start([cut, cut], 2);
    onTestFinished(() => server.close());
    const { conversation } = await open(llm);
    const deltas: Delta[] = [];
    const onDelta = (delta: Delta) => deltas.push(delta);
    await expect(conversation.run({ onDelta })).rejects.toMatchObject({
      code: 'conversation-run',
      cause: { code: 'service-unavailable', isRetryable: true },
    });
    expect(server.requests).toHaveLength(2);
    expect(ofType(conversation.events, 'broken-response')).toHaveLength(2);
    expect(shown(deltas)).toEqual({ text: '', thinking: '', name: '', arguments: '' });
    expect(await conversation.run({ onDelta })).toMatchObject({ status: 'finished' });
    expectNothingRefused(conversation.events);
  });

  test('an interruption before anything was shown leaves nothing in the log', async () => {
    const { server, llm } = await wire.start([{ fault: 'stall' }]);
    onTestFinished(() => server.close());
    const { conversation } = await open(llm);
    const run = conversation.run({ onDelta: () => expect.unreachable() });
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    conversation.interrupt();
    expect(await run).toMatchObject({ status: 'paused' });
    expect(messagesIn(conversation.events).map(({ source }) => source)).toEqual(['user']);
    expect(ofType(conversation.events, 'llm-usage')).toEqual([]);
  });
});

describe('usage', () => {
  const wire = anthropic('claude-opus-5-5');

  test('of an interrupted answer is that of the message it left: the input as counted, the output as it came', async () => {
    const { server, llm } = await wire.start(undefined);
    onTestFinished(() => server.close());
    const { conversation } = await open(llm);
    await conversation.run({ onDelta: ({ type }) => (type === 'text' ? conversation.interrupt() : undefined) });
    const [usage] = [...conversation.events].filter((event) => event.type === 'llm-usage');
    const [cut] = cutOffIn(conversation.events);
    expect(usage).toMatchObject({
      purpose: 'agent',
      responseId: cut?.llmResponseId,
      usage: { uncachedInputTokens: expect.any(Number) as number },
      usageIsEstimated: true,
      estimatedInputTokens: expect.any(Number) as number,
    });
    // The provider has counted one token when it begins.
    expect(usage?.usage.outputTokens).toBeGreaterThan(1);
    expect(usage?.costUsd).toBeCloseTo(usage === undefined ? 0 : costOf(usage.usage, llm.prices ?? prices), 12);
  });

  test('of an interrupted answer that the provider has not counted is an estimate, with what its cache may hold', async () => {
    const { server, llm } = await chat('deepseek', 'deepseek').start(undefined);
    onTestFinished(() => server.close());
    const { conversation } = await open({ ...llm, prices });
    let calls = 0;
    const onDelta = ({ type }: Delta) => {
      if (type === 'tool-call' || server.requests.length === calls) return;
      calls = server.requests.length;
      if (calls === 2) conversation.interrupt();
    };
    await conversation.run({ onDelta });
    const [first, cut] = [...conversation.events].filter((event) => event.type === 'llm-usage');
    if (first === undefined) throw new Error('There is no usage.');
    expect(cut).toMatchObject({
      purpose: 'agent',
      responseId: cutOffIn(conversation.events)[0]?.llmResponseId,
      usageIsEstimated: true,
      usage: { cacheReadTokens: totalInputTokens(first.usage), outputTokens: expect.any(Number) as number },
      costUsd: expect.any(Number) as number,
    });
    expect(cut?.usage.outputTokens).toBeGreaterThan(0);
  });

  test('of an answer that was counted and interrupted before its first word is kept', async () => {
    const usage = { uncachedInputTokens: 70, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
    const interrupt: { now: () => void } = { now: () => undefined };
    const llm: LLM = {
      model: 'counted',
      complete: ({ onUsage }) => {
        onUsage?.({ usage, costUsd: 0.5 });
        interrupt.now();
        return new Promise(() => undefined);
      },
    };
    const { conversation } = await open(llm);
    interrupt.now = () => conversation.interrupt();
    expect(await conversation.run({ onDelta: () => undefined })).toMatchObject({ status: 'paused' });
    expect(ofType(conversation.events, 'llm-usage')).toMatchObject([{ purpose: 'agent', usage, costUsd: 0.5 }]);
  });

  test('of a broken one counts too, and a limit on money holds', async () => {
    const { server, llm } = await wire.start(
      [
        { fault: 'cut', afterEvents: 2 },
        { fault: 'cut', afterEvents: 6 },
      ],
      3,
    );
    onTestFinished(() => server.close());
    const { conversation } = await open(llm);
    const { status } = await conversation.run({ onDelta: () => undefined });
    expect(status).toBe('finished');
    const broken = ofType(conversation.events, 'broken-response').map(({ id }) => id);
    const usages = [...conversation.events].filter((event) => event.type === 'llm-usage');
    const lost = usages.filter(({ purpose }) => purpose === 'broken-response');
    expect(broken).toHaveLength(2);
    expect(lost.map(({ responseId }) => responseId)).toEqual(broken);
    for (const { costUsd } of lost) expect(costUsd).toBeGreaterThan(0);
  });
});

describe('secrets', () => {
  const value = 'hunter2-hunter2-hunter2';
  const answer = `The key is ${value}, and again ${value}.`;

  async function streaming(pieces: readonly string[]) {
    const deltas = pieces.map((text) => ({ type: 'text' as const, text }));
    const llm = scriptedLLM({ script: [{ text: answer, deltas, until: new Promise(() => undefined) }, 'Done.'] });
    const conversation = await Conversation.open({
      agent: new Agent({ llm }),
      secrets: secretMask({ PASSWORD: value }),
    });
    await conversation.send('Tell.');
    const heard: Delta[] = [];
    const run = conversation.run({ onDelta: (delta) => heard.push(delta) });
    while (llm.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    conversation.interrupt();
    await run;
    await conversation.run();
    return { conversation, heard: shown(heard).text, request: JSON.stringify(llm.requests.at(-1)?.messages) };
  }

  test('are hidden in what was shown, also where only their beginning came before the interruption', async () => {
    for (let length = 1; length <= answer.length; length++) {
      const { conversation, heard, request } = await streaming([answer.slice(0, 7), answer.slice(7, length)]);
      const [cut] = cutOffIn(conversation.events);
      expect(cut === undefined ? '' : wordsIn(cut)).toBe(heard);
      expect(JSON.stringify([...conversation.events])).not.toContain('hunt');
      expect(request).not.toContain('hunt');
      const begun = answer.slice(0, Math.max(7, length)).replaceAll(value, '[secret PASSWORD]');
      expect(begun.startsWith(heard)).toBe(true);
      expect(begun.length - heard.length).toBeLessThan(value.length);
    }
  });

  test('are hidden in what came of a broken answer', async () => {
    const deltas: Delta[] = [
      { type: 'thinking', text: 'It is hunter2-hun' },
      { type: 'text', text: `It is ${value}, or hunter2-h` },
      { type: 'tool-call', index: 0, id: 'c', name: `read-${value}`, arguments: `{"path":"${value}","x":"hunter2-` },
      { type: 'restart', reason: `no route to ${value}` },
      { type: 'text', text: 'Done.' },
    ];
    const conversation = await Conversation.open({
      agent: new Agent({ llm: scriptedLLM({ script: [{ text: 'Done.', deltas }] }) }),
      secrets: secretMask({ PASSWORD: value }),
    });
    await conversation.send('Tell.');
    const heard: Delta[] = [];
    expect(await conversation.run({ onDelta: (delta) => heard.push(delta) })).toMatchObject({ answer: 'Done.' });
    expect(shown(heard).text).toBe('Done.');
    expect(JSON.stringify([...conversation.events])).not.toContain('hunt');
    expect(JSON.stringify(heard)).not.toContain(value);
    expect(ofType(conversation.events, 'broken-response')).toMatchObject([
      { content: [{ text: 'It is [secret PASSWORD], or ' }], thinking: 'It is ' },
    ]);
  });
});

describe('a model that is not one of ours', () => {
  test('and goes on streaming after an interrupt is ignored', async () => {
    let talk: (delta: Delta) => void = () => undefined;
    const llm: LLM = {
      model: 'deaf',
      complete: ({ onDelta }) => {
        talk = onDelta ?? talk;
        talk({ type: 'text', text: 'I begin' });
        return new Promise(() => undefined);
      },
    };
    const { conversation } = await open(llm);
    const heard: Delta[] = [];
    const run = conversation.run({ onDelta: (delta) => heard.push(delta) });
    while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    conversation.interrupt();
    await run;
    talk({ type: 'text', text: ' and go on.' });
    expect(heard).toEqual([{ type: 'text', text: 'I begin' }]);
    expect(cutOffIn(conversation.events).map(wordsIn)).toEqual(['I begin']);
  });

  test('and is interrupted inside a surrogate pair leaves no half of it', async () => {
    const [face = '', half] = ['🙂', '🙂'.slice(0, 1)];
    const deltas = [{ type: 'text' as const, text: `${face}${half}` }];
    const llm = scriptedLLM({ script: [{ text: face + face, deltas, until: new Promise(() => undefined) }] });
    const { conversation } = await open(llm);
    await conversation.run({ onDelta: () => queueMicrotask(() => conversation.interrupt()) });
    expect(cutOffIn(conversation.events).map(wordsIn)).toEqual([face]);
  });

  test('and fails in the middle with a retryable error sends its listener a restart', async () => {
    const refused = new ContentPolicyError('no', { provider: 'x' });
    const llm = scriptedLLM({ script: [{ text: 'I begin', endsIn: refused }, 'Done.'] });
    const { conversation } = await open(llm);
    const heard: Delta[] = [];
    await conversation.run({ onDelta: (delta) => heard.push(delta) });
    expect(heard.map(({ type }) => type)).toEqual(['text', 'restart', 'text']);
    expect(ofType(conversation.events, 'broken-response')).toMatchObject([
      { content: [{ text: 'I begin' }], reason: 'no' },
    ]);
  });
});

test('a cut-off answer whose note is missing gets it at the next run, and is not a final answer', async () => {
  const llm = scriptedLLM({ script: ['Done.'] });
  const { conversation } = await open(llm);
  const cutOff = { reason: 'The run was interrupted.', toolCalls: [{ name: 'read', arguments: '{"pa' }] };
  const content = [{ type: 'text' as const, text: 'I begin' }];
  await conversation.events.append(createEvent('message', { source: 'agent', role: 'assistant', content, cutOff }));
  const later = await conversation.fork();
  expect(await later.run()).toMatchObject({ status: 'finished', answer: 'Done.', iterations: 1 });
  expect(JSON.stringify(llm.requests[0]?.messages.at(-1))).toContain('The call that it had begun was not carried out');
});

test('repeated interrupts do not count as a monologue of the model', async () => {
  const never = new Promise(() => undefined);
  const llm = scriptedLLM({
    script: (_request, index) => (index < 6 ? { text: `Try ${index}`, until: never } : 'Done.'),
  });
  const { conversation } = await open(llm);
  for (let times = 0; times < 6; times++) {
    const { status } = await conversation.run({ onDelta: () => queueMicrotask(() => conversation.interrupt()) });
    expect(status).toBe('paused');
  }
  expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'Done.' });
});

test('a pause lets the answer complete', async () => {
  const llm = scriptedLLM({ script: [{ toolCalls: [{ name: 'read', arguments: { path: 'a' } }] }, 'Done.'] });
  const { conversation, reads } = await open(llm);
  expect(await conversation.run({ onDelta: () => conversation.pause() })).toMatchObject({ status: 'paused' });
  expect(reads).toEqual(['a']);
  expect(cutOffIn(conversation.events)).toEqual([]);
});
