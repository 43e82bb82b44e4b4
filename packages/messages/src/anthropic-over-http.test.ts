import Anthropic from '@anthropic-ai/sdk';
import { extractiveSummaryCondenser, observationMaskingCondenser } from '@palimpsest/condensers';
import { memoryEventStore } from '@palimpsest/events';
import { anthropicServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import type { Condenser } from '@palimpsest/view';
import { afterEach, describe, expect, it } from 'vitest';
import { addAnthropicStep, resultOf } from '../test-support/anthropic-loop.js';
import type { AnthropicMessage } from '../test-support/anthropic-loop.js';
import { anthropicMessages, condensedHistory } from './index.js';
import type { CondensedHistory, CondensedHistoryOptions, AnthropicMessageLike, Fitted } from './index.js';

type History = CondensedHistory<AnthropicMessageLike>;
type Options = CondensedHistoryOptions<AnthropicMessageLike>;

const tools: Anthropic.Tool[] = [{ name: 'read', description: 'Reads.', input_schema: { type: 'object' } }];
const system: Anthropic.TextBlockParam[] = ['You are an agent.', 'The project.', 'The rules.'].map((text) => ({
  type: 'text',
  text,
}));
const servers: ProviderServer[] = [];
/** Shorter loops but where CI tests thoroughly: they condense again and again, and histories are restarted in them, all the same. */
const share = process.env['PALIMPSEST_THOROUGH'] === 'true' ? 1 : 0.6;

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A model that thinks and calls tools at every step, sometimes two at once. */
async function modelServer(contextWindow?: number): Promise<ProviderServer> {
  const server = await anthropicServer({
    ...(contextWindow === undefined ? {} : { contextWindow }),
    reply: (_, index) => ({
      content: [
        { type: 'thinking', thinking: `Thought ${index}.`, signature: '' },
        ...(index % 4 === 0 ? [{ type: 'text', text: `Step ${index}.` }] : []),
        ...Array.from({ length: index % 3 === 2 ? 2 : 1 }, (_, call) => ({
          type: 'tool_use',
          id: `toolu_${index}_${call}_${Math.random().toString(36).slice(2)}`,
          name: 'read',
          input: { path: `src/${index}-${call}.ts` },
        })),
      ],
    }),
  });
  servers.push(server);
  return server;
}

interface Loop {
  readonly list: AnthropicMessage[];
  readonly client: Anthropic;
  readonly model: string;
  readonly sent: Fitted<AnthropicMessage>[];
  readonly answers: Anthropic.Message[];
  /** The number of marks of each request. The host's objects change behind it. */
  readonly marks: number[];
  readonly thinking: Anthropic.ThinkingConfigParam;
}

async function loop(model: string, server?: ProviderServer): Promise<Loop> {
  const { baseURL } = server ?? (await modelServer());
  return {
    list: [{ role: 'user', content: 'Read all the files.' }],
    client: new Anthropic({ baseURL, apiKey: 'key', maxRetries: 0 }),
    model,
    sent: [],
    answers: [],
    marks: [],
    thinking: model.includes('4-5') ? { type: 'enabled', budget_tokens: 1024 } : { type: 'adaptive' },
  };
}

/** One step of the host's loop: a moving cache mark, an answer, the results of its calls. */
async function step(
  history: History,
  { list, client, model, sent, answers, marks, thinking }: Loop,
  words = 200,
): Promise<void> {
  moveMarks(list);
  const answer = await history.withOverflow(
    list,
    (messages, fitted) => {
      sent.push(fitted);
      marks.push(marksIn(messages));
      return client.messages.create({ model, max_tokens: 2_000, system, tools, thinking, messages });
    },
    { system, tools },
  );
  answers.push(answer);
  list.push({ role: 'assistant', content: answer.content });
  const calls = answer.content.filter((block) => block.type === 'tool_use');
  const content: Anthropic.ContentBlockParam[] = calls.map(({ id }, index) => ({
    ...resultOf(id, words),
    ...(list.length % 10 === 0 && index === 0 ? { is_error: true } : {}),
  }));
  if (list.length % 14 === 0) content.push({ type: 'text', text: 'Be quick.' });
  list.push({ role: 'user', content });
}

/** As Claude Code does: one mark moves with the end, in place, and one stays where it was put. */
function moveMarks(list: AnthropicMessage[]): void {
  list.forEach((message, index) => {
    if (typeof message.content === 'string') return;
    for (const block of message.content) if ('cache_control' in block) delete block.cache_control;
    const last = message.content.at(-1);
    const isMarked = index === list.length - 1 || (index === list.length - 3 && index > 12) || index === 12;
    if (isMarked && last !== undefined && last.type !== 'thinking' && last.type !== 'redacted_thinking') {
      Object.assign(last, { cache_control: { type: 'ephemeral', ...(index === 12 ? { ttl: '1h' } : {}) } });
    }
  });
}

const marksIn = (messages: readonly AnthropicMessage[]) =>
  messages.flatMap(blocksOf).filter((block) => 'cache_control' in block && block.cache_control !== undefined).length;

const blocksOf = ({ content }: AnthropicMessage) => (typeof content === 'string' ? [] : content);
const thoughtsIn = (messages: readonly AnthropicMessage[]) =>
  messages.flatMap(blocksOf).flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []));
const withoutThinking = (message: AnthropicMessage) => ({
  role: message.role,
  content:
    typeof message.content === 'string' ? message.content : blocksOf(message).filter(({ type }) => type !== 'thinking'),
});

/** Counts how often what was sent first is not the beginning of what is sent next, but for thinking that is left out. */
function rewritesOf(sent: readonly Fitted<AnthropicMessage>[]): { rewrites: number; condensed: number } {
  let [rewrites, condensed] = [0, 0];
  sent.forEach(({ messages, condensations }, index) => {
    if (condensations.length > 0) condensed++;
    const before = sent[index - 1]?.messages ?? [];
    const isKept = before.every(
      (message, place) =>
        JSON.stringify(withoutThinking(message)) ===
        JSON.stringify(withoutThinking(messages[place] as AnthropicMessage)),
    );
    if (!isKept) rewrites++;
  });
  return { rewrites, condensed };
}

const options = (condenser: Condenser, model: string): Options => ({ condenser, codec: anthropicMessages(), model });
const summarising = () => extractiveSummaryCondenser({ maxSize: 40, keepFirst: 2 });

/** A condenser that can be told to fail. */
function unreliable(): Condenser & { isFailing: boolean } {
  const inner = summarising();
  return {
    ...inner,
    isFailing: false,
    condense(view, context) {
      if (this.isFailing) throw new Error('no model');
      return inner.condense(view, context);
    },
  };
}

describe('a model that binds its thinking', () => {
  it('is never refused, and its prompt is rewritten only by condensations', async () => {
    const own = await loop('claude-opus-5-5');
    const history = condensedHistory(options(summarising(), own.model));
    for (let count = 0; count < 80 * share; count++) {
      moveMarks(own.list);
      const before = structuredClone(own.list);
      await step(history, own);
      expect(own.list.slice(0, before.length)).toEqual(before);
    }
    expect(own.sent).toHaveLength(80 * share);
    expect(own.sent.every(({ problem }) => problem === undefined)).toBe(true);
    const { rewrites, condensed } = rewritesOf(own.sent);
    expect(rewrites).toBe(condensed);
    expect(condensed).toBeGreaterThan(4 * share);
    const { messages } = own.sent.at(-1) ?? { messages: [] };
    expect(thoughtsIn(messages).length).toBeGreaterThan(1);
    // The mark that stood on a message that is forgotten stands before its place.
    expect(new Set(own.marks.slice(20))).toEqual(new Set([3]));
    const usage = own.answers.slice(-10).map((answer) => answer.usage.cache_read_input_tokens ?? 0);
    expect(usage.filter((tokens) => tokens > 1_000).length).toBeGreaterThan(7);
    // What no condensation has made stale goes through as the host's own object.
    const untouched = messages.filter((message) => own.list.includes(message));
    expect(untouched.length).toBeGreaterThan(messages.length / 2);
  });

  it('gets all its thinking back, with three blocks of instructions, while nothing is condensed', async () => {
    const own = await loop('claude-opus-5-5');
    const history = condensedHistory(options(extractiveSummaryCondenser({ maxSize: 1_000 }), own.model));
    for (let count = 0; count < 20; count++) await step(history, own);
    expect(own.sent.at(-1)?.state).toBe('untouched');
    expect(thoughtsIn(own.sent.at(-1)?.messages ?? [])).toHaveLength(19);
  });

  it('never gets back what was left out once', async () => {
    const own = await loop('claude-opus-5-5');
    const history = condensedHistory(options(summarising(), own.model));
    const gone = new Set<string>();
    for (let count = 0; count < 40; count++) {
      await step(history, own);
      const sent = new Set(thoughtsIn(own.sent.at(-1)?.messages ?? []));
      for (const thought of thoughtsIn(own.list.slice(0, -2))) {
        if (!sent.has(thought)) gone.add(thought);
        else expect(gone.has(thought)).toBe(false);
      }
    }
    expect(gone.size).toBeGreaterThan(10);
  });

  it.each([
    ['fails', 'failing'],
    ['is given up for another', 'evicted'],
    ['is restarted without a store', 'restarted'],
    ['is restarted with a store', 'stored'],
  ])('is not refused where the history %s now and then', async (_, how) => {
    const server = await modelServer();
    const own = await loop('claude-opus-5-5', server);
    const store = how === 'stored' ? memoryEventStore() : undefined;
    const condenser = unreliable();
    const make = () => condensedHistory({ ...options(condenser, own.model), maxMemoryBytes: 1, store });
    let history = make();
    for (let count = 0; count < 60 * share; count++) {
      condenser.isFailing = how === 'failing' && count % 7 > 4;
      if (how === 'evicted' && count % 20 === 19) await history.fit([{ role: 'user', content: `Another ${count}.` }]);
      if ((how === 'restarted' || how === 'stored') && count % 20 === 19) history = make();
      await step(history, own);
    }
    expect(server.requests).toHaveLength(60 * share);
    expect(own.sent.some(({ problem }) => problem !== undefined)).toBe(how === 'failing');
    const last = thoughtsIn(own.sent.at(-2)?.messages ?? []).length;
    expect(last).toBeGreaterThan(0);
    if (how === 'stored') {
      const { rewrites, condensed } = rewritesOf(own.sent);
      expect(rewrites).toBe(condensed);
    }
  });

  it('is not refused after an edit, in branches, or where old results are masked', async () => {
    const server = await modelServer();
    const own = await loop('claude-opus-5-5', server);
    const masking = condensedHistory(options(observationMaskingCondenser({ attentionWindow: 12 }), own.model));
    for (let count = 0; count < 40; count++) await step(masking, own);
    const history = condensedHistory(options(summarising(), own.model));
    const branch: Loop = { ...own, list: structuredClone(own.list.slice(0, 31)) };
    for (let count = 0; count < 25; count++) await step(history, branch);
    const other: Loop = { ...own, list: structuredClone(branch.list.slice(0, 61)) };
    for (let count = 0; count < 5; count++) {
      await step(history, other);
      await step(history, branch);
    }
    // The user's second thoughts about the first message.
    branch.list[0] = { role: 'user', content: 'Read some of the files.' };
    for (let count = 0; count < 5; count++) await step(history, branch);
    expect(server.requests.length).toBe(40 + 25 + 10 + 5);
  });

  it('answers a refusal of bound thinking once, by a list without any', async () => {
    const server = await modelServer();
    const own = await loop('claude-opus-5-5', server);
    const first = condensedHistory(options(summarising(), own.model));
    for (let count = 0; count < 30; count++) await step(first, own);
    // A history that takes what it does not know for what nobody condensed.
    const history = condensedHistory({
      ...options(extractiveSummaryCondenser({ maxSize: 1_000 }), own.model),
      unknownThinking: 'sent',
    });
    await step(history, own);
    expect(server.requests).toHaveLength(32);
    expect(thoughtsIn(own.sent.at(-1)?.messages ?? [])).toEqual([]);
    for (let count = 0; count < 5; count++) await step(history, own);
    expect(server.requests).toHaveLength(37);
    expect(thoughtsIn(own.sent.at(-1)?.messages ?? [])).toHaveLength(5);
  });
});

it('a deferred tool that is added drops no thinking, and what loads it stays while it is deferred', async () => {
  let calls = 0;
  const server = await anthropicServer({
    reply: (_, index) => ({
      content: [
        { type: 'thinking', thinking: `Thought ${index}.`, signature: '' },
        { type: 'tool_use', id: `toolu_${calls++}`, name: index === 1 ? 'find' : 'read', input: {} },
      ],
    }),
  });
  servers.push(server);
  const client = new Anthropic({ baseURL: server.baseURL, apiKey: 'key', maxRetries: 0 });
  const model = 'claude-opus-5-5';
  const history = condensedHistory(options(extractiveSummaryCondenser({ maxSize: 16, keepFirst: 1 }), model));
  const list: AnthropicMessage[] = [{ role: 'user', content: 'Read all the files.' }];
  const find: Anthropic.Tool = { name: 'find', input_schema: { type: 'object' } };
  const deferred = (name: string) => ({ name, input_schema: { type: 'object' as const }, defer_loading: true });
  const given: Anthropic.Tool[] = [...tools, find, deferred('dig')];
  const step = async () => {
    const { messages } = await history.fit(list, { tools: given });
    const { content } = await client.messages.create({ model, max_tokens: 2_000, tools: given, messages });
    list.push({ role: 'assistant', content });
    const results = content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
    list.push({
      role: 'user',
      content: results.map(({ id, name }) =>
        name === 'read'
          ? resultOf(id, 50)
          : { type: 'tool_result', tool_use_id: id, content: [{ type: 'tool_reference', tool_name: 'dig' }] },
      ),
    });
    return messages;
  };
  for (let count = 0; count < 3; count++) await step();
  given.push(deferred('fill'));
  expect(thoughtsIn(await step())).toHaveLength(3);
  for (let count = 0; count < 20; count++) await step();
  const loaded = await step();
  expect(loaded.length).toBeLessThan(20);
  expect(JSON.stringify(loaded)).toContain('tool_reference');
  // Without deferred tools it is a result like any other.
  for (let count = 100; count < 110; count++) addAnthropicStep(list, count);
  expect(JSON.stringify((await history.fit(list, { tools })).messages)).not.toContain('tool_reference');
});

describe('a model with manual thinking', () => {
  it.each([
    'is left alone',
    'fails',
    'is given up for another',
    'is restarted without a store',
    'is restarted with one',
  ])('is never refused where the history %s: its tool loops stay whole, with their thinking', async (how) => {
    const server = await modelServer();
    const own = await loop('claude-haiku-4-5', server);
    const condenser = unreliable();
    const store = how.endsWith('with one') ? memoryEventStore() : undefined;
    const make = () => condensedHistory({ ...options(condenser, own.model), maxMemoryBytes: 1, store });
    let history = make();
    for (let count = 0; count < 70 * share; count++) {
      condenser.isFailing = how === 'fails' && count % 7 > 4;
      if (how === 'is given up for another' && count % 20 === 19)
        await history.fit([{ role: 'user', content: 'Hello.' }]);
      if (how.startsWith('is restarted') && count % 20 === 19) history = make();
      await step(history, own);
      if (count % 6 === 5) {
        own.list.push({ role: 'assistant', content: 'So far, so good.' });
        own.list.push({ role: 'user', content: `Part ${count}.` });
      }
    }
    expect(server.requests).toHaveLength(70 * share);
    expect(own.sent.some(({ problem }) => problem !== undefined)).toBe(how === 'fails');
    expect(own.sent.some(({ condensations }) => condensations.length > 0)).toBe(true);
  });
});

describe('withOverflow', () => {
  it('condenses harder and sends once more when the window overflows', async () => {
    const server = await modelServer(12_000);
    const own = await loop('claude-opus-5-5', server);
    const history = condensedHistory({
      ...options(extractiveSummaryCondenser({ maxSize: 1_000 }), own.model),
      contextWindow: 1_000_000,
    });
    for (let count = 0; count < 40; count++) await step(history, own, 500);
    // The window that the refusal told is kept.
    expect(server.requests).toHaveLength(41);
    expect(own.list).toHaveLength(81);
  });

  it('makes room itself where the condenser does not', async () => {
    const server = await modelServer(12_000);
    const own = await loop('claude-opus-5-5', server);
    const history = condensedHistory(options({ name: 'idle', condense: (view) => view }, own.model));
    for (let count = 0; count < 40; count++) await step(history, own, 500);
    expect(own.list).toHaveLength(81);
  });
});
