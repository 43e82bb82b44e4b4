import { createEvent, defineTool, userMessage } from '@palimpsest/events';
import type { Event, Tool } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ScriptedToolCall } from '@palimpsest/llm-adapters/testing';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import { ConversationStateProjection } from '../state.js';
import { finishTool } from './built-in-tools.js';

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ left: z.number(), right: z.number() }),
  execute: ({ left, right }) => ({ content: String(left + right), details: { sum: left + right } }),
});

const broken = defineTool({
  name: 'broken',
  description: 'Fails.',
  input: z.object({}),
  execute: () => {
    throw new Error('out of order');
  },
});

/** Takes a step in which the model makes these calls, and collects the emitted events. */
async function runCalls(calls: readonly ScriptedToolCall[], tools: readonly Tool[], signal?: AbortSignal) {
  const emitted: Event[] = [];
  const state = ConversationStateProjection.fromEvents([userMessage('Go.')]);
  const agent = new Agent({ llm: scriptedLLM({ script: [{ toolCalls: calls }] }), tools });
  const outcome = await agent.step(state, {
    onEvent: (event) => {
      emitted.push(event);
      state.append(event);
    },
    signal,
  });
  return { outcome, state, emitted: emitted.filter(({ type }) => type !== 'llm-usage') };
}

describe('a call that cannot be run', () => {
  const cases: readonly (readonly [string, ScriptedToolCall, RegExp])[] = [
    ['an unknown tool', { name: 'subtract' }, /no tool 'subtract'.*add, broken/],
    ['arguments that are not JSON', { name: 'add', arguments: '{"left": 1,' }, /not JSON/],
    ['arguments of the wrong shape', { name: 'add', arguments: { left: 1, right: 'two' } }, /right/],
  ];

  test.each(cases)('%s: marked, and answered with an error', async (_case, call, message) => {
    const { emitted, state } = await runCalls([call], [add, broken]);
    expect(emitted).toMatchObject([
      { type: 'action', executable: false },
      { type: 'agent-error', actionId: emitted[0]?.id, error: expect.stringMatching(message) as string },
    ]);
    expect(state.pendingActions).toEqual([]);
  });

  test('does not keep its siblings from running, and the history stays one batch', async () => {
    const { emitted, state } = await runCalls(
      [
        { name: 'add', arguments: { left: 1, right: 2 } },
        { name: 'subtract' },
        { name: 'add', arguments: { left: 3, right: 4 } },
      ],
      [add],
    );
    expect(emitted.map(({ type }) => type)).toEqual([
      'action',
      'action',
      'action',
      'observation',
      'agent-error',
      'observation',
    ]);
    const [, assistant, ...results] = state.view.toMessages();
    expect(assistant).toMatchObject({ role: 'assistant', toolCalls: [{}, {}, {}] });
    expect(results.map(({ role }) => role)).toEqual(['tool', 'tool', 'tool']);
  });
});

describe('a tool', () => {
  test('that throws is answered with its words, and the rest still runs', async () => {
    const { emitted } = await runCalls(
      [{ name: 'broken' }, { name: 'add', arguments: { left: 1, right: 2 } }],
      [add, broken],
    );
    expect(emitted.slice(2)).toMatchObject([
      { type: 'agent-error', error: 'out of order' },
      { type: 'observation', content: [{ text: '3' }], details: { sum: 3 } },
    ]);
  });

  test('may answer with content, failure and details', async () => {
    const picture = defineTool({
      name: 'picture',
      description: 'Looks.',
      input: z.object({}),
      execute: () => ({ content: [{ type: 'image', url: 'data:image/png;base64,AAAA' }], isError: true }),
    });
    const { emitted } = await runCalls([{ name: 'picture' }], [picture]);
    expect(emitted[1]).toMatchObject({ type: 'observation', isError: true, content: [{ type: 'image' }] });
  });

  test('sees the log, and appends events of its own before its result', async () => {
    const note = defineTool({
      name: 'note',
      eventTypes: ['acme/note'],
      description: 'Leaves a note.',
      input: z.object({}),
      execute: async (_input, { actionId, event, log, append }) => {
        await append(createEvent('acme/note', { source: 'environment', about: actionId }));
        return `${event(actionId)?.type ?? 'nothing'}, ${[...log].length} events`;
      },
    });
    const { emitted } = await runCalls([{ name: 'note' }], [note]);
    expect(emitted.slice(1)).toMatchObject([
      { type: 'acme/note', about: emitted[0]?.id },
      { type: 'observation', content: [{ text: 'action, 4 events' }] },
    ]);
  });
});

test('arguments that had to be repaired stand in the details of the result', async () => {
  const { emitted } = await runCalls([{ name: 'add', arguments: "{'left': 1, 'right': 2,}" }], [add]);
  expect(emitted[1]).toMatchObject({ details: { sum: 3, repairedArguments: '{"left": 1, "right": 2}' } });
});

describe('finish', () => {
  test('ends the run with its message; calls after it are answered, not left over', async () => {
    const { outcome, emitted, state } = await runCalls(
      [
        { name: 'finish', arguments: { message: 'All done.' } },
        { name: 'add', arguments: { left: 1, right: 2 } },
      ],
      [add, finishTool()],
    );
    expect(outcome).toEqual({ type: 'tool-calls', answer: 'All done.' });
    expect(emitted.at(-1)).toMatchObject({ type: 'agent-error', error: expect.stringContaining('Not run') as string });
    expect(state.pendingActions).toEqual([]);
  });

  test('with bad arguments does not end it', async () => {
    const { outcome } = await runCalls([{ name: 'finish' }], [finishTool()]);
    expect(outcome).toEqual({ type: 'tool-calls' });
  });
});

test('an abort while a tool runs: it and the calls after it are answered as interrupted', async () => {
  const controller = new AbortController();
  const slow = defineTool({
    name: 'slow',
    description: 'Waits for the signal.',
    input: z.object({}),
    execute: (_input, { signal }) =>
      new Promise<string>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('stopped')));
        controller.abort();
      }),
  });
  const { emitted, state } = await runCalls([{ name: 'slow' }, { name: 'slow' }], [slow], controller.signal);
  expect(emitted.slice(2)).toMatchObject([
    { type: 'agent-error', error: expect.stringMatching(/^Interrupted.*stopped/) as string },
    { type: 'agent-error', error: expect.stringMatching(/^Interrupted.*Not run/) as string },
  ]);
  expect(state.pendingActions).toEqual([]);
});

describe('what a tool may return or throw', () => {
  const answering = (execute: () => unknown) =>
    defineTool({ name: 'odd', description: '', input: z.object({}), execute: execute as () => string });

  test.each([
    ['nothing', () => undefined, []],
    ['null', () => null, []],
    ['empty text', () => '', []],
    ['an image only', () => ({ content: [{ type: 'image', url: 'data:image/png;base64,AA==' }] }), [{ type: 'image' }]],
  ])('%s is a result', async (_, execute, content) => {
    const { emitted, state } = await runCalls([{ name: 'odd' }], [answering(execute)]);
    expect(emitted.at(-1)).toMatchObject({ type: 'observation' });
    const sent = state.view.toMessages().at(-1);
    expect(sent).toMatchObject({ role: 'tool', content });
    expect(messageViolations(state.view.toMessages())).toEqual([]);
  });

  test('a part of a kind that this version does not know is kept, and the model is told that there was something', async () => {
    const content = [{ type: 'sound', data: 'AA==' }];
    const { emitted, state } = await runCalls([{ name: 'odd' }], [answering(() => ({ content }))]);
    expect(emitted.at(-1)).toMatchObject({ type: 'observation', content });
    const words = '(The tool answered in a form that cannot be shown here.)';
    expect(state.view.toMessages().at(-1)).toMatchObject({ role: 'tool', content: [{ type: 'text', text: words }] });
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  test.each<readonly [string, () => unknown, RegExp]>([
    ['a number', () => 7, /ran, but answered with neither text nor/],
    ['an object of its own', () => ({ files: [] }), /ran, but answered with neither text nor/],
    ['details that are no JSON', () => ({ content: 'x', details: cyclic }), /./],
    ['a part of no kind', () => ({ content: [{ sound: 'AA==' }] }), /./],
    ['a part without its field', () => ({ content: [{ type: 'text' }] }), /./],
    ['an object without words thrown', () => throwing(Object.create(null)), /without a message/],
    ['an error whose message is no text', () => throwing(Object.assign(new Error(), { message: 7 })), /7/],
    ['undefined thrown', () => throwing(undefined), /undefined/],
    ['an error that says nothing', () => throwing(new Error('')), /^The tool failed and did not say why\.$/],
  ])('%s is an error that the model reads', async (_, execute, error) => {
    const { emitted, state } = await runCalls([{ name: 'odd' }], [answering(execute)]);
    expect(emitted.at(-1)).toMatchObject({ type: 'agent-error', error: expect.stringMatching(error) as string });
    expect(state.pendingActions).toEqual([]);
  });
});

function throwing(thrown: unknown): never {
  throw thrown;
}

test('a log that takes no more results: no further call begins', async () => {
  const began: string[] = [];
  const work = defineTool({
    name: 'work',
    description: '',
    input: z.object({ name: z.string() }),
    annotations: { parallel: true },
    execute: async ({ name }) => {
      began.push(name);
      if (name !== 'a') await new Promise(setImmediate);
      return name;
    },
  });
  const state = ConversationStateProjection.fromEvents([userMessage('Go.')]);
  const toolCalls = ['a', 'b', 'c', 'd'].map((name) => ({ name: 'work', arguments: { name } }));
  const agent = new Agent({ llm: scriptedLLM({ script: [{ toolCalls }] }), tools: [work], toolConcurrency: 2 });
  const onEvent = (event: Event) => {
    if (event.type === 'observation' && event.toolCallId.endsWith('-1')) throw new Error('disk full');
    state.append(event);
  };
  await expect(agent.step(state, { onEvent })).rejects.toThrow('disk full');
  expect(began).toEqual(['a', 'b']);
});

test('a call whose tool was missing, so that nobody was asked to confirm it, does not run when the tool is there', async () => {
  const before = await runCalls([{ name: 'add', arguments: { left: 1, right: 2 } }], [broken]);
  const action = before.emitted[0] as Event;
  const state = ConversationStateProjection.fromEvents([userMessage('Go.'), action]);
  const emitted: Event[] = [];
  const agent = new Agent({ llm: scriptedLLM({ script: [] }), tools: [add], confirmation: 'always' });
  await agent.step(state, { onEvent: (event) => void emitted.push(event) });
  expect(emitted).toMatchObject([{ type: 'agent-error', error: expect.stringContaining('Call it again') as string }]);
});
