import { ContextOverflowError } from '@langchain/core/errors';
import { HumanMessage } from '@langchain/core/messages';
import type { BaseMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { MemorySaver } from '@langchain/langgraph';
import { amortizedForgettingCondenser, extractiveSummaryCondenser } from '@palimpsest/condensers';
import { openaiServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import {
  contextEditingMiddleware,
  createAgent,
  createMiddleware,
  modelRetryMiddleware,
  ToolMessage,
  toolStrategy,
} from 'langchain';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pixel, plainConversation } from '../test-support/conversations.js';
import { rewritesIn, sentTo } from '@palimpsest/provider-servers';
import { chatModel, scriptedModel } from '../test-support/scripted-model.js';
import type { Api, Script } from '../test-support/scripted-model.js';
import { condensing, condensingEdit } from './index.js';
import type { CondensingOptions } from './index.js';
import { usageOf } from './reported-usage.js';
import { toolDefinitions } from './tool-definitions.js';

type Fits = Parameters<NonNullable<CondensingOptions['onFit']>>[0][];

const servers: ProviderServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function started(api: Api, name: string, script: Script) {
  const server = await scriptedModel(api, script);
  servers.push(server);
  return { server, model: chatModel(api, name, server) };
}

const toolsOf = (api: Api) => [
  tool(
    ({ path }: { path: string }, { toolCall }: { toolCall?: { id?: string } }) =>
      path.startsWith('missing/')
        ? new ToolMessage({ tool_call_id: toolCall?.id ?? '', content: `No file ${path}.`, status: 'error' })
        : `Content of ${path}: ${'word '.repeat(60)}`,
    { name: 'read', description: 'Reads a file.', schema: z.object({ path: z.string() }) },
  ),
  tool(
    // LangChain sends an image in a result to OpenAI as it is, and OpenAI takes none there.
    () =>
      api === 'anthropic'
        ? [
            { type: 'text', text: 'The screen.' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
          ]
        : 'The screen.',
    { name: 'screenshot', description: 'Shows the screen.', schema: z.object({}) },
  ),
];

const question = () =>
  new HumanMessage({
    id: 'question',
    content: [
      { type: 'text', text: 'Read all the files, and look at the screen.' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
    ],
  });
/** `npm test` runs loops of half the length, which keep half as much and condense as often; CI's thorough run has them whole. */
const share = process.env['PALIMPSEST_THOROUGH'] === 'true' ? 1 : 0.5;
const steps = 48 * share;
const condenser = () => extractiveSummaryCondenser({ maxSize: 40 * share, keepFirst: 2 });
const config = (thread = 'one') => ({ recursionLimit: 1_000, configurable: { thread_id: thread } });
const systemPrompt = 'You are a careful agent.';

const condensations = (fits: Fits) =>
  fits.flatMap(({ condensations: made }, index) => (made.length > 0 ? [index] : []));

const runs = new Set([
  ...['id', 'created', 'created_at', 'response_metadata', 'usage_metadata', 'usage', 'signature'],
  ...['encrypted_content', '__openai_function_call_ids__'],
]);

/** Messages without what differs between two runs of the same: ids and times. */
function comparable(messages: readonly BaseMessage[]): unknown {
  const text = JSON.stringify(
    messages.map((message) => message.toDict()),
    (key, value: unknown) => (runs.has(key) ? undefined : value),
  );
  return JSON.parse(text);
}

type Agent = ReturnType<typeof createAgent>;

/** A run of an agent, whole or streamed: its messages, and the text that was streamed. */
async function run(agent: Agent, how: 'invoke' | 'stream', options: object = config()) {
  if (how === 'invoke') {
    const { messages } = (await agent.invoke({ messages: [question()] }, options)) as { messages: BaseMessage[] };
    return { messages, streamed: '' };
  }
  let streamed = '';
  let messages: BaseMessage[] = [];
  const stream = await agent.stream({ messages: [question()] }, { ...options, streamMode: ['messages', 'values'] });
  for await (const [mode, chunk] of stream as AsyncIterable<[string, unknown]>) {
    if (mode === 'values') ({ messages } = chunk as { messages: BaseMessage[] });
    else {
      const [message] = chunk as [BaseMessage];
      if (message.getType() === 'ai') streamed += message.text;
    }
  }
  return { messages, streamed };
}

const otherLoops: [Api, string, 'invoke' | 'stream'][] = [
  ['chat', 'gpt-4o', 'invoke'],
  ['responses', 'gpt-5', 'stream'],
  ['anthropic', 'claude-opus-5-5', 'invoke'],
];
const otherOverflows: typeof otherLoops =
  share === 1
    ? [
        ['chat', 'gpt-4o', 'invoke'],
        ['anthropic', 'claude-haiku-4-5', 'invoke'],
      ]
    : [];
/** `npm test` has each API, and both ways; CI's thorough run has each API both ways. */
const loops: typeof otherLoops = [
  ['chat', 'gpt-4o', 'stream'],
  ['responses', 'gpt-5', 'invoke'],
  ['anthropic', 'claude-opus-5-5', 'stream'],
  ...(share === 1 ? otherLoops : []),
];

/** A condenser that reads what providers have counted, and what it takes requests for. */
function watcher() {
  const sizes: number[] = [];
  let sent: readonly number[] = [];
  const watching: CondensingOptions['condenser'] = {
    name: 'watching',
    condense: (view, { fixedTokens = 0 } = {}) => {
      sizes.push(view.tokens() + fixedTokens);
      sent = [...view.internalEvents].flatMap((event) =>
        event.type === 'llm-usage'
          ? [event.usage.uncachedInputTokens + event.usage.cacheReadTokens + event.usage.cacheWriteTokens]
          : [],
      );
      return view;
    },
  };
  return { condenser: watching, sizes, usages: () => sent };
}

describe('condensing', () => {
  it.each(loops)(
    '%s, %s: a long loop with %s is never refused, and rewritten only by condensations',
    async (api, name, how) => {
      const script = { steps, thinks: name !== 'gpt-4o' };
      const { server, model } = await started(api, name, script);
      const fits: Fits = [];
      const middleware = [condensing({ condenser: condenser(), onFit: (fitted) => void fits.push(fitted) })];
      const agent = createAgent({ model, tools: toolsOf(api), systemPrompt, middleware }) as unknown as Agent;
      const { messages, streamed } = await run(agent, how);
      if (how === 'stream') expect(streamed).toContain(`Answer ${steps - 4}.`);
      expect(messages.at(-1)?.text).toBe(`Answer ${steps - 1}.`);
      expect(server.requests).toHaveLength(steps);
      expect(fits.every(({ problem }) => problem === undefined)).toBe(true);
      expect(condensations(fits).length).toBeGreaterThan(3);
      expect(rewritesIn(sentTo(server))).toEqual(condensations(fits));
      expect(Math.max(...fits.map((fitted) => fitted.messages.length))).toBeLessThan(60 * share);
      const own = new Set(messages);
      if (how === 'invoke' && name !== 'claude-opus-5-5') {
        for (const fitted of fits)
          expect(fitted.messages.filter((message) => !own.has(message)).length).toBeLessThan(2);
      }

      const without = await started(api, name, script);
      const plain = createAgent({ model: without.model, tools: toolsOf(api), systemPrompt }) as unknown as Agent;
      const result = await run(plain, how);
      expect(comparable(messages)).toEqual(comparable(result.messages));
    },
  );

  const startedLoop = (api: Api = 'chat', name = 'gpt-4o') => started(api, name, { steps, thinks: api !== 'chat' });

  /** A condenser that counts how often it is asked to make a summary. */
  function counting() {
    const inner = condenser();
    const asked = { count: 0 };
    const condense: typeof inner.condense = async (view, context) => {
      const result = await inner.condense(view, context);
      if (result !== view) asked.count++;
      return result;
    };
    return { asked, condenser: { ...inner, condense } };
  }

  it.each<[Api, string]>([
    ['chat', 'gpt-4o'],
    ['anthropic', 'claude-opus-5-5'],
  ])('%s, %s: goes on from the checkpointer after a restart, and asks no summariser again', async (api, name) => {
    const { server, model } = await started(api, name, { steps, thinks: api !== 'chat' });
    const checkpointer = new MemorySaver();
    const first = counting();
    const make = (made: ReturnType<typeof counting>) =>
      createAgent({
        model,
        tools: toolsOf(api),
        systemPrompt,
        checkpointer,
        middleware: [condensing({ condenser: made.condenser })],
      });
    const before = make(first);
    await before.invoke({ messages: [question()] }, { ...config(), recursionLimit: 62 * share }).catch(() => undefined);
    const atStop = server.requests.length;
    expect(atStop).toBeGreaterThan(25 * share);
    expect(atStop).toBeLessThan(40 * share);
    expect(first.asked.count).toBeGreaterThan(0);
    // Another process: the checkpointer's bytes are all that is left.
    const second = counting();
    const after = make(second);
    const { messages } = await after.invoke(null as never, config());
    expect(messages.at(-1)?.text).toBe(`Answer ${steps - 1}.`);
    const rewrites = rewritesIn(sentTo(server));
    expect(rewrites).not.toContain(atStop);
    expect(rewrites).toHaveLength(first.asked.count + second.asked.count);
    const { values } = await after.graph.getState(config());
    const events = (values as Record<string, unknown[]>)['_palimpsest'] ?? [];
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
    const reported = events.filter((event) => (event as { type: string }).type === 'llm-usage');
    expect(reported).toHaveLength(steps);
    expect('_palimpsest' in (await after.invoke({ messages: [new HumanMessage('Thanks.')] }, config()))).toBe(false);
  });

  it.each([
    ['claude-opus-5-5', 1],
    ['claude-sonnet-4-5', 6],
  ])(
    '%s: a condenser that throws at every third call, and turns of a chat, cost no refused request',
    async (name, turns) => {
      const { server, model } = await started('anthropic', name, { steps: 60 * share, thinks: true });
      const inner = condenser();
      let calls = 0;
      const failing: typeof inner = {
        ...inner,
        condense: (view, context) => {
          if (calls++ % 3 === 2) throw new Error('The condenser has failed.');
          return inner.condense(view, context);
        },
      };
      const fits: Fits = [];
      const middleware = [condensing({ condenser: failing, onFit: (fitted) => void fits.push(fitted) })];
      const checkpointer = new MemorySaver();
      const agent = createAgent({ model, tools: toolsOf('anthropic'), systemPrompt, middleware, checkpointer });
      for (let turn = 0; turn < turns; turn++) {
        // A turn that is cut off in the middle of its tool loop, behind the tools, goes on with the next.
        const limit = turns === 1 ? 1_000 : 24 * share;
        await agent
          .invoke({ messages: [question()] }, { ...config(), recursionLimit: limit })
          .catch((error: unknown) => {
            if (!String(error).includes('Recursion limit')) throw error;
          });
      }
      expect(server.requests.length).toBeGreaterThan(turns === 1 ? 60 * share - 1 : 30 * share);
      expect(fits.some(({ problem }) => problem !== undefined)).toBe(true);
      expect(condensations(fits).length).toBeGreaterThan(0);
      expect(rewritesIn(sentTo(server)).length).toBeLessThanOrEqual(condensations(fits).length);
    },
  );

  it('applies in a branch only what held where the branch began', async () => {
    const { model } = await startedLoop();
    const fits: Fits = [];
    const make = () =>
      createAgent({
        model,
        tools: toolsOf('chat'),
        checkpointer: new MemorySaver(),
        middleware: [condensing({ condenser: condenser(), onFit: (fitted) => void fits.push(fitted) })],
      });
    const agent = make();
    await agent.invoke({ messages: [question()] }, config());
    const [firstMade = 0, secondMade = 0] = condensations(fits);
    const history: { config: object; messages: number; events: number }[] = [];
    for await (const state of agent.graph.getStateHistory(config())) {
      const { messages, _palimpsest = [] } = state.values as { messages: unknown[]; _palimpsest?: { type: string }[] };
      const events = _palimpsest.filter(({ type }) => type === 'condensation');
      if (state.next.includes('model_request')) {
        history.push({ config: state.config, messages: messages.length, events: events.length });
      }
    }
    history.reverse();
    expect(history[firstMade]?.events).toBe(0);
    expect(history[secondMade]?.events).toBeGreaterThan(0);
    for (const [at, isCondensed] of [
      [firstMade - 3, false],
      [secondMade - 3, true],
    ] as const) {
      const from = history[at];
      const count = fits.length;
      const options = { ...(from?.config as ReturnType<typeof config>), recursionLimit: 8 };
      const input = { messages: [new HumanMessage('Only the tests, please.')] };
      await agent.invoke(input, options).catch(() => undefined);
      const fitted = fits[count];
      expect(fitted?.messages.some((message) => message.text.includes('Only the tests'))).toBe(true);
      expect(fitted?.state).toBe(isCondensed ? 'condensed' : 'untouched');
      expect(fitted?.condensations).toEqual([]);
    }
  });

  it('keeps two threads apart that begin alike and run at once', async () => {
    const fits: Fits = [];
    const middleware = [condensing({ condenser: condenser(), onFit: (fitted) => void fits.push(fitted) })];
    const runs = await Promise.all(
      ['one', 'two', 'third'].map(async (name) => {
        const { server, model } = await started('chat', 'gpt-4o', { steps, name });
        const checkpointer = name === 'third' ? undefined : new MemorySaver();
        const agent = createAgent({ model, tools: toolsOf('chat'), middleware, ...(checkpointer && { checkpointer }) });
        await agent.invoke({ messages: [question()] }, name === 'third' ? { recursionLimit: 1_000 } : config(name));
        return { name, sent: sentTo(server) };
      }),
    );
    for (const { name, sent } of runs) {
      expect(sent).toHaveLength(steps);
      const others = runs.filter((other) => other.name !== name);
      for (const other of others) expect(JSON.stringify(sent)).not.toContain(`${other.name}_7_`);
      expect(JSON.stringify(sent)).toContain(`${name}_7_`);
    }
    expect(runs.flatMap(({ sent }) => rewritesIn(sent))).toHaveLength(condensations(fits).length);
  });

  it("writes into a thread's state what was made for it, once", async () => {
    const twice = createMiddleware({
      name: 'Twice',
      wrapModelCall: async (request, handler) => {
        await handler(request);
        return handler(request);
      },
    });
    const middleware = [twice, condensing({ condenser: condenser() })];
    const { model } = await started('chat', 'gpt-4o', { steps: 1 });
    const idsOf = async (thread: string, message: HumanMessage) => {
      const agent = createAgent({ model, tools: toolsOf('chat'), middleware, checkpointer: new MemorySaver() });
      await agent.invoke({ messages: [message] }, config(thread));
      const { values } = await agent.graph.getState(config(thread));
      return (values as { _palimpsest: { id: string }[] })._palimpsest.map(({ id }) => id);
    };
    const ids = [
      ...(await idsOf('one', question())),
      // Another thread that begins alike, and one that has the name and the length of the first.
      ...(await idsOf('two', question())),
      ...(await idsOf('one', new HumanMessage({ id: 'other', content: 'Another question.' }))),
    ];
    expect(ids.length).toBeGreaterThan(2);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('sends no thinking again that a model has refused whose name does not say that it binds it', async () => {
    const { server, model } = await started('anthropic', 'claude-opus-5-5', { steps: 10, thinks: true });
    const forgetting = amortizedForgettingCondenser({ maxSize: 10, keepFirst: 2 });
    const middleware = [condensing({ condenser: forgetting, model: 'an alias' })];
    const agent = createAgent({ model, tools: toolsOf('anthropic'), middleware });
    const { messages } = await agent.invoke({ messages: [question()] }, config());
    expect(messages.at(-1)?.text).toBe('Answer 9.');
    expect(server.requests).toHaveLength(11);
  });

  it.each<[Api, string, 'invoke' | 'stream']>([
    ['chat', 'gpt-4o', 'stream'],
    ['responses', 'gpt-5', 'invoke'],
    ['anthropic', 'claude-haiku-4-5', 'stream'],
    ...otherOverflows,
  ])('%s, %s: an overflow with %s is answered by a shorter list', async (api, name, how) => {
    const script = share === 1 ? { steps: 36, contextWindow: 3_500 } : { steps: 24, contextWindow: 2_800 };
    const { server, model } = await started(api, name, script);
    const middleware = [condensing({ condenser: { name: 'idle', condense: (view) => view } })];
    const agent = createAgent({ model, tools: toolsOf(api), middleware }) as unknown as Agent;
    const { messages } = await run(agent, how);
    expect(messages.at(-1)?.text).toBe(`Answer ${script.steps - 1}.`);
    expect(server.requests.length).toBeGreaterThan(script.steps);
  });

  it('knows an overflow of a provider that writes it in its own way', async () => {
    let calls = 0;
    const seen: number[] = [];
    const middleware = [
      condensing({ condenser: { name: 'idle', condense: (view) => view }, contextWindow: 3_000 }),
      createMiddleware({
        name: 'Provider',
        wrapModelCall: (request, handler) => {
          seen.push(request.messages.length);
          if (++calls === 1) throw new Error('wrapped', { cause: new ContextOverflowError('Zu lang.') });
          return handler(request);
        },
      }),
    ];
    const { model } = await started('chat', 'gpt-4o', { steps: 1 });
    await createAgent({ model, tools: toolsOf('chat'), middleware }).invoke({ messages: plainConversation() });
    expect(seen).toHaveLength(2);
    expect(seen[1]).toBeLessThan(seen[0] ?? 0);
  });

  it('passes other errors on as they are, and asks no summariser again when the call is made again', async () => {
    const { server, model } = await startedLoop();
    const made = counting();
    let calls = 0;
    const failing = createMiddleware({
      name: 'Failing',
      wrapModelCall: (request, handler) => {
        if (++calls % 5 === 0) throw new Error('The network is down.');
        return handler(request);
      },
    });
    const retry = modelRetryMiddleware({ maxRetries: 1, initialDelayMs: 0, onFailure: 'error' });
    const middleware = [retry, condensing({ condenser: made.condenser }), failing];
    const agent = createAgent({ model, tools: toolsOf('chat'), middleware });
    await agent.invoke({ messages: [question()] }, config());
    expect(server.requests).toHaveLength(steps);
    expect(rewritesIn(sentTo(server))).toHaveLength(made.asked.count);
    const alone = createAgent({ model, tools: [], middleware: [condensing({ condenser: condenser() }), failing] });
    calls = 4;
    await expect(alone.invoke({ messages: [question()] })).rejects.toThrow('The network is down.');
  });

  it("does not stream what a condenser's own model says to the user", async () => {
    const { model } = await started('chat', 'gpt-4o', { steps: 20 });
    const summariser = await started('chat', 'gpt-4o', { steps: 1 });
    const inner = condenser();
    const asking: typeof inner = {
      ...inner,
      condense: async (view, context) => {
        const { text } = await summariser.model.invoke('Summarise.');
        expect(text).toBe('Answer 0.');
        return inner.condense(view, context);
      },
    };
    const agent = createAgent({ model, tools: toolsOf('chat'), middleware: [condensing({ condenser: asking })] });
    const { streamed } = await run(agent, 'stream');
    expect(summariser.server.requests.length).toBeGreaterThan(5);
    expect(streamed.match(/Answer 0\./g)).toHaveLength(1);
  });

  it('gives the model tools with which it asks the history itself', async () => {
    let label = '';
    const reads = Array.from({ length: 12 }, (_, index) => () => call('read', { path: `src/${index}.ts` }));
    const script = [
      ...reads,
      (messages: readonly Sent[]) => {
        label = /event_id: (\w+)/.exec(JSON.stringify(messages[4]))?.[1] ?? '';
        return call('relevance_condenser', { event_id: label, summary_text: 'The second file was read.' });
      },
      (messages: readonly Sent[]) => {
        // The result that the model no longer needs is not shown any more.
        expect(JSON.stringify(messages[4])).toContain('The second file was read.');
        expect(JSON.stringify(messages[4])).not.toContain('word word');
        return call('recall', { address: label });
      },
    ];
    const server = await openaiServer({
      reply: ({ messages, tools: declared }, index) => {
        const names = (declared as { function: { name: string } }[]).map(({ function: { name } }) => name);
        expect(names.slice(2).sort()).toEqual(['recall', 'relevance_condenser']);
        const said = script[index]?.(messages as Sent[]) ?? {};
        return { message: { role: 'assistant', content: 'Done.', ...said } };
      },
    });
    servers.push(server);
    const middleware = [condensing({ condenser: { name: 'idle', condense: (view) => view }, relevance: true })];
    const agent = createAgent({ model: chatModel('chat', 'gpt-4o', server), tools: toolsOf('chat'), middleware });
    const { messages } = await agent.invoke({ messages: [question()] }, config());
    const [marked, recalled] = messages.filter((message) => ToolMessage.isInstance(message)).slice(-2);
    expect(marked?.status).toBe('success');
    expect(recalled?.status).toBe('success');
    expect(recalled?.text).toContain('Content of src/1.ts: word word');
    const second = messages.filter((message) => ToolMessage.isInstance(message))[1];
    expect(second?.text).toContain('Content of src/1.ts: word word');
    expect(second?.text).not.toContain('event_id');
  });

  it('counts a long system prompt and tools once, as words in a message', async () => {
    const { model } = await started('chat', 'gpt-4o', { steps: 1 });
    const scale = watcher();
    const long = '请阅读项目中的所有文件。'.repeat(500);
    const many = Array.from({ length: 100 }, (_, index) =>
      tool(() => '', { name: `tool_${index}`, description: long.slice(0, 100), schema: z.object({}) }),
    );
    const words = [long, JSON.stringify(toolDefinitions(many))].map((text) => new HumanMessage(text));
    const middleware = [condensing({ condenser: scale.condenser })];
    const messages = [new HumanMessage('Hello.')];
    await createAgent({ model, tools: many, systemPrompt: long, middleware }).invoke({ messages }, config());
    await createAgent({ model, tools: [], middleware }).invoke({ messages: [...words, ...messages] }, config());
    const [beside = 0, within = 0] = scale.sizes;
    expect(within).toBeGreaterThan(10_000);
    expect(beside).toBe(within);
  });

  it.each<[string, Api, 'middleware' | 'edit']>([
    ['a middleware', 'chat', 'middleware'],
    ['a middleware', 'anthropic', 'middleware'],
    ['an edit', 'responses', 'edit'],
  ])('%s records what the provider counts: %s', async (_, api, how) => {
    const { model } = await started(api, api === 'anthropic' ? 'claude-haiku-4-5' : 'gpt-4o', { steps: 4 });
    const { condenser: watching, usages } = watcher();
    const middleware = [
      how === 'middleware'
        ? condensing({ condenser: watching })
        : contextEditingMiddleware({ edits: [condensingEdit({ condenser: watching })] }),
    ];
    await createAgent({ model, tools: toolsOf(api), middleware }).invoke({ messages: [question()] }, config());
    expect(usages().map((sent) => sent > 100)).toEqual([true, true, true]);
  });

  it('is an edit for those who want the strategy alone', async () => {
    const { server, model } = await startedLoop();
    const edits = [condensingEdit({ condenser: condenser() })];
    const agent = createAgent({ model, tools: toolsOf('chat'), middleware: [contextEditingMiddleware({ edits })] });
    const { messages } = await agent.invoke({ messages: [question()] }, config());
    expect(messages.at(-1)?.text).toBe(`Answer ${steps - 1}.`);
    expect(server.requests).toHaveLength(steps);
    expect(Math.max(...sentTo(server).map((sent) => sent.length))).toBeLessThan(60 * share);
    expect(rewritesIn(sentTo(server)).length).toBeLessThan(12);
  });

  it('leaves a structured response as it is', async () => {
    const { server, model } = await started('chat', 'gpt-4o', { steps: 3 });
    const middleware = [condensing({ condenser: condenser() })];
    // The scripted model calls `read`; the schema's tool is named as its calls are.
    const named = createAgent({
      model,
      tools: [],
      middleware,
      responseFormat: toolStrategy({ title: 'read', type: 'object', properties: { path: { type: 'string' } } }),
    });
    const { structuredResponse } = await named.invoke({ messages: [question()] }, config());
    expect(structuredResponse).toEqual({ path: 'src/call_0_0.ts' });
    expect(server.requests).toHaveLength(1);
  });
});

it('reads the usage of an answer with a structured response, and that of a provider of which LangChain has read none', () => {
  const counts = { input_tokens: 9, output_tokens: 1, total_tokens: 10 };
  expect(usageOf({ structuredResponse: {}, messages: [{ usage_metadata: counts }] })).toBe(counts);
  expect(usageOf({ response_metadata: { tokenUsage: counts } })).toBe(counts);
  expect(usageOf({ response_metadata: {} })).toBeUndefined();
});

interface Sent {
  readonly role: string;
  readonly content: unknown;
}

let calls = 0;

/** An answer that calls one tool. */
function call(name: string, input: object): object {
  const called = { name, arguments: JSON.stringify(input) };
  return { content: null, tool_calls: [{ id: `call_${calls++}`, type: 'function', function: called }] };
}
