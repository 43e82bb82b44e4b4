import { Agent, Conversation, readOutputTool } from '@palimpsest/agent';
import type { AgentOptions } from '@palimpsest/agent';
import { condenserByName, condenserNames } from '@palimpsest/condensers/config';
import { createEvent, defineTool, memoryEventStore, userMessage } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { relevanceCondenser } from '@palimpsest/relevance-tool';
import type { Condenser } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openWire } from '../test-support/wire.js';
import type { Api, Wire } from '../test-support/wire.js';
import { defaultCondenser } from './agent/condenser.js';

/**
 * Results of any size, over the real SDKs and HTTP, against servers that refuse what does not fit into the window: with every
 * condenser and with none.
 */

/** How large a result is that alone exceeds the window. */
interface Size {
  /** Unit: tokens. */
  readonly contextWindow: number;
  /** Unit: characters. */
  readonly mega: number;
}

const fifth: Size = { contextWindow: 20_000, mega: 200_000 };
/** What fits where depends not on the size: most runs are a fifth as large, and all but where CI tests thoroughly. */
const full: Size = process.env['PALIMPSEST_THOROUGH'] === 'true' ? { contextWindow: 100_000, mega: 1_000_000 } : fifth;

const dumps = new Map<number, string>();

/** Made once for each size, because it is as long as all that happens to it. */
function dumpOf(characters: number): string {
  const known = dumps.get(characters) ?? 'A line of the log, and one more.\n'.repeat(Math.ceil(characters / 33));
  dumps.set(characters, known);
  return known;
}

const dump = defineTool({
  name: 'dump',
  description: 'Prints so many characters.',
  input: z.object({ characters: z.number(), note: z.string().optional() }),
  annotations: { readOnly: true, parallel: true },
  execute: ({ characters }) => dumpOf(characters),
});

/** What the model calls at each step: the size of each result, or of the argument where it is negative. */
type Steps = readonly (readonly number[])[];

const inputOf = (size: number) => (size < 0 ? { characters: 10, note: 'n'.repeat(-size) } : { characters: size });
const isSummary = (body: unknown) => !JSON.stringify((body as { tools?: unknown }).tools ?? '').includes('"dump"');
const summary = 'The log was read up to here, and nothing was found.';

function flowOf(api: Api, steps: Steps, { contextWindow }: Size): Promise<Wire> {
  let index = 0;
  return openWire(
    api,
    api === 'messages' ? 'claude-opus-5-5' : 'gpt-4o',
    (body) => {
      if (isSummary(body)) return { text: summary };
      const step = steps[index++];
      if (step === undefined) return { text: 'All read.' };
      return {
        ...(api === 'messages' ? { thinking: `thought ${index}` } : {}),
        text: `Step ${index}.`,
        calls: step.map((size, call) => ({ id: `call_${index}_${call}`, name: 'dump', input: inputOf(size) })),
      };
    },
    { contextWindow, maxOutputTokens: api === 'messages' ? 3_000 : 2_000, thinking: 'on', server: { contextWindow } },
  );
}

async function run(
  flow: Wire,
  options: Partial<AgentOptions> & { readonly log?: readonly Event[]; readonly task?: string } = {},
) {
  const { log = [], task = 'Read the logs.', ...own } = options;
  const store = memoryEventStore();
  if (log.length > 0) await store.append('c', log);
  const agent = new Agent({
    llm: flow.llm,
    systemPrompt: 'You read logs.',
    tools: [dump, readOutputTool()],
    ...own,
  });
  const conversation = await Conversation.open({ agent, store, conversationId: 'c', stuckDetection: false });
  await conversation.send(task);
  const outcome = await conversation.run();
  const events = [...conversation.events];
  // Nothing was refused as malformed, and no history was sent a second time for that.
  const updates = events.flatMap((event) => (event.type === 'conversation-state-update' ? [event.key] : []));
  expect(new Set(updates)).toEqual(new Set(['status']));
  return { outcome, events, view: conversation.view };
}

const resortsIn = (events: readonly Event[]) =>
  events.filter((event) => event.type === 'condensation' && event.metadata?.['reason'] === 'hard-reset');
const unlimited: AgentOptions['output'] = { maxCharacters: Infinity, windowShare: 1 };

const kinds: readonly (readonly [string, (llm: LLM) => Condenser | undefined, Size])[] = [
  ['none', () => undefined, full],
  ...condenserNames.map((name) => [name, (llm: LLM) => condenserByName(name, { llm }), fifth] as const),
  ['relevance', () => relevanceCondenser(), fifth],
  ['relevance in batches', () => relevanceCondenser({ apply: 'batched' }), fifth],
  ['the default of this agent', () => defaultCondenser(), full],
];
const given = (condenser: Condenser | undefined) => (condenser === undefined ? {} : { condenser });

describe.each(kinds)('with the condenser %s', (_, create, size) => {
  const { mega } = size;
  const steps: Steps = Array.from({ length: 14 }, (_, step) => [step % 5 === 4 ? 10 * mega : mega]);

  test('14 results, each of which exceeds the window: the run goes on', async () => {
    const flow = await flowOf('chat-completions', steps, size);
    const { outcome, events } = await run(flow, given(create(flow.llm)));
    expect(outcome).toMatchObject({ status: 'finished', answer: 'All read.', iterations: 15 });
    const whole = events.flatMap((event) => (event.type === 'agent/tool-output' ? [event['text'] as string] : []));
    expect(whole.map(({ length }) => length >= mega)).toEqual(steps.map(() => true));
  });

  test('shown as much as the window holds: one giant after another, in batches, in arguments', async () => {
    const flow = await flowOf(
      'messages',
      [[mega], [mega], [5, 5], [mega, mega, 100, mega], [-mega], [5], [-mega, mega], [mega]],
      size,
    );
    const { outcome, events } = await run(flow, { ...given(create(flow.llm)), output: unlimited });
    expect(outcome).toMatchObject({ status: 'finished', answer: 'All read.', iterations: 9 });
    // The newest step is still there, or a model has summed it up.
    const last = events.findLast((event) => event.type === 'condensation');
    const sent = JSON.stringify(flow.server.requests.at(-1)?.body);
    expect(sent).toContain(last?.summary?.includes(summary) === true ? summary : 'Step 8.');
    expect(resortsIn(events).length).toBeLessThanOrEqual(12);
  });
});

const text = (words: string) => [{ type: 'text', text: words }] as const;

/** A log of somebody else, whose tools knew no limit. */
function answer(words: string): Event {
  return createEvent('message', {
    source: 'agent',
    role: 'assistant',
    content: text(words),
    llmResponseId: 'old-answer',
  });
}

function foreignLog(sizes: Steps): Event[] {
  const events: Event[] = [userMessage('Read the logs of yesterday.')];
  sizes.forEach((step, index) => {
    const actions = step.map((size, call) =>
      createEvent('action', {
        thought: call === 0 ? text(`Old step ${index}.`) : [],
        toolCall: { id: `old_${index}_${call}`, name: 'dump', arguments: JSON.stringify(inputOf(size)) },
        llmResponseId: `old-${index}`,
      }),
    );
    const results = actions.map(({ id, toolCall }, call) => {
      const content = text(`${'o'.repeat(Math.max(10, step[call] ?? 0))} ends`);
      return createEvent('observation', { toolName: 'dump', toolCallId: toolCall.id, actionId: id, content });
    });
    events.push(...actions, ...results);
  });
  return events;
}

describe('a log that holds giants already', () => {
  const { mega } = full;
  const small: Steps = Array.from({ length: 20 }, () => [200]);
  const cases: readonly (readonly [string, () => readonly Event[]])[] = [
    ['one giant result, ten times as large', () => foreignLog([...small, [10 * mega], ...small])],
    ['a giant result at every step', () => foreignLog(Array.from({ length: 20 }, () => [mega]))],
    [
      'a batch of 30 giant results as the newest step',
      () => foreignLog([...small, Array.from({ length: 30 }, () => mega)]),
    ],
    ['giant arguments', () => foreignLog([...small, [-2 * mega], ...small])],
    [
      'a giant message that is not protected',
      () => [...foreignLog(small), userMessage('w'.repeat(2 * mega)), answer('Read.'), ...foreignLog([[5]])],
    ],
    [
      'a giant summary',
      () => {
        const log = foreignLog([...small, ...small]);
        const forgottenEventIds = log.slice(1, 41).map(({ id }) => id);
        return [...log, createEvent('condensation', { forgottenEventIds, summary: 's'.repeat(2 * mega) })];
      },
    ],
    ['many small results, too many in all', () => foreignLog(Array.from({ length: 400 }, () => [2_000]))],
  ];

  /** All of them over the strictest API; over the others those that they have in other forms: results and their batches. */
  const ways: readonly (readonly [Api, ...(typeof cases)[number]])[] = [
    ...cases.map(([name, log]) => ['messages', name, log] as const),
    ...(['chat-completions', 'responses'] as const).flatMap((api) =>
      cases.slice(1, 4).map(([name, log]) => [api, name, log] as const),
    ),
  ];

  test.each(ways)('%s, %s: the run goes on with what is recent', async (api, _, log) => {
    const flow = await flowOf(api, [[1_000], [mega]], full);
    const { outcome, events } = await run(flow, { log: log() });
    expect(outcome).toMatchObject({ status: 'finished', answer: 'All read.' });
    expect(resortsIn(events)).toHaveLength(1);
    const sent = JSON.stringify(flow.server.requests.at(-1)?.body);
    expect(sent).toContain('Read the logs.');
    expect(sent).toContain('Read the logs of yesterday.');
    expect(sent).toContain('Step 1.');
  });

  test('words that are protected and alone exceed the window: their middle is cut, and the run goes on', async () => {
    for (const condenser of [undefined, condenserByName('digest')]) {
      const flow = await flowOf('messages', [[1_000]], full);
      const task = `BEGIN ${'Read this: '.repeat(100_000)}END`;
      const { outcome } = await run(flow, { log: foreignLog(small), task, ...given(condenser) });
      expect(outcome).toMatchObject({ status: 'finished', answer: 'All read.' });
      expect(JSON.stringify(flow.server.requests.at(-1)?.body)).toMatch(
        /BEGIN Read this.*its address is .*Read this: END/,
      );
    }
  });
});
