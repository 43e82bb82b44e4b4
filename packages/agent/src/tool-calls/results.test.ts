import { createEvent, defineTool } from '@palimpsest/events';
import type { ActionEvent, Tool, ToolOutput } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import { Conversation } from '../conversation/conversation.js';
import type { Step } from '../step.js';
import { finishTool, readOutputTool, readOutputToolName } from './built-in-tools.js';
import type { OutputStore, ShownCharacters } from './output.js';
import { limitedOutput as limited } from './results.js';

function memoryStore(): OutputStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    put: ({ actionId, text }) => {
      texts.set(`of-${actionId}`, text);
      return Promise.resolve(`of-${actionId}`);
    },
    get: (handle) => Promise.resolve(texts.get(handle)),
  };
}

const call = createEvent('action', {
  thought: [],
  toolCall: { id: 'c1', name: 'run', arguments: '{}' },
  llmResponseId: 'r1',
});
const long = `first line\n${'x'.repeat(40_000)}\nexit code 1`;

interface Limits {
  readonly action?: ActionEvent;
  readonly shown?: ShownCharacters;
  readonly store?: OutputStore;
  readonly canRead?: boolean;
  readonly signal?: AbortSignal;
}

function limitedOutput(
  output: Exclude<ToolOutput, string>,
  { action = call, shown = { most: 30_000, preview: 4_000 }, store, canRead = true, signal }: Limits = {},
) {
  const tools = new Map(canRead ? [[readOutputToolName, readOutputTool()]] : []);
  const step = { agent: { tools, createEvent, output: { store } }, options: { signal } };
  return limited(output, action, shown, step as unknown as Step);
}

test('long output is stored whole; the model reads its beginning, its end and the handle', async () => {
  const store = memoryStore();
  const { output, whole } = await limitedOutput({ content: long, details: { exitStatus: 1 } }, { store });
  const handle = `of-${call.id}`;
  expect(store.texts.get(handle)).toBe(long);
  expect(whole).toBeUndefined();
  expect(output.details).toEqual({ exitStatus: 1, outputHandle: handle, outputCharacters: long.length });
  const [part] = output.content as unknown as { readonly text: string }[];
  expect(part?.text).toMatch(/^first line\n/);
  expect(part?.text).toMatch(/exit code 1$/);
  expect(part?.text).toContain(`read_output with the handle '${handle}'`);
  expect(part?.text.length).toBeLessThan(4_300);
});

test('an output within the limit stays as it is; images stay in any case', async () => {
  const short = { content: 'short' };
  expect((await limitedOutput(short)).output).toBe(short);
  const image = { type: 'image', url: 'data:image/png;base64,AA==' } as const;
  const mixed = await limitedOutput({ content: [{ type: 'text', text: long }, image] });
  expect(mixed.output.content).toEqual([{ type: 'text', text: expect.any(String) as string }, image]);
});

test('a store that fails loses nothing: the whole output goes into the log', async () => {
  const store: OutputStore = {
    put: () => Promise.reject(new Error('disk full')),
    get: () => Promise.resolve(undefined),
  };
  const { output, whole } = await limitedOutput({ content: long }, { store });
  expect(whole?.text).toBe(long);
  expect(output.details).toMatchObject({ outputStoreError: 'disk full', outputHandle: whole?.id });
});

test('a cut leaves no half of a character', async () => {
  const { output } = await limitedOutput({ content: '😀'.repeat(20_000) }, { shown: { most: 30_000, preview: 99 } });
  const [part] = output.content as unknown as { readonly text: string }[];
  expect(part?.text.isWellFormed()).toBe(true);
});

test('the tool reads whole characters, wherever a part begins and ends', async () => {
  const store = memoryStore();
  const text = `a${'😀'.repeat(20_000)}`;
  await limitedOutput({ content: text }, { store });
  const tool = readOutputTool(store);
  const handle = `of-${call.id}`;
  const read = async (offset: number, length: number) =>
    (await tool.execute(tool.parseInput({ handle, offset, length }), { event: () => undefined } as never)) as string;
  expect(await read(0, 2)).toBe(`[Characters 0 to 1 of ${text.length}]\na`);
  expect(await read(2, 2)).toBe(`[Characters 1 to 3 of ${text.length}]\n😀`);
  expect(await read(1, 1)).toBe(`[Characters 1 to 3 of ${text.length}]\n😀`);
});

test('the tool reads stored output part by part, and reports missing parts', async () => {
  const store = memoryStore();
  const characters = `first line\n${'😀'.repeat(20_000)}\nexit code 1`;
  await limitedOutput({ content: characters }, { store });
  const tool = readOutputTool(store);
  const read = async (input: object): Promise<string> =>
    (await tool.execute(tool.parseInput(input), { event: () => undefined } as never)) as string;
  const handle = `of-${call.id}`;
  let text = '';
  while (text.length < characters.length) {
    const part = await read({ handle, offset: text.length, length: 998 });
    expect(part.isWellFormed()).toBe(true);
    text += part.slice(part.indexOf('\n') + 1);
  }
  expect(text).toBe(characters);
  // An offset inside a character.
  expect((await read({ handle, offset: 12, length: 1 })).split('\n')).toEqual(['[Characters 11 to 13 of 40023]', '😀']);
  await expect(read({ handle: '../../etc/passwd' })).rejects.toThrow(/no stored output/);
  await expect(read({ handle, offset: 99_999 })).rejects.toThrow(/behind its end/);
  // Its own output is not stored again.
  const again = { content: long };
  const action = { ...call, toolCall: { ...call.toolCall, name: tool.name } };
  expect((await limitedOutput(again, { action, store })).output).toBe(again);
});

describe('in a run', () => {
  const long = 'x'.repeat(500);
  const run = async (tool: Tool, store: OutputStore) => {
    const llm = scriptedLLM({ script: [{ toolCalls: [{ name: tool.name, arguments: { message: long } }] }, 'Done.'] });
    const agent = new Agent({ llm, tools: [tool], output: { store, maxCharacters: 100, previewCharacters: 10 } });
    const conversation = await Conversation.open({ agent });
    await conversation.send('Go.');
    return { conversation, outcome: conversation.run() };
  };
  const kept: string[] = [];
  const keeping: OutputStore = {
    put: ({ text }) => Promise.resolve(`h${kept.push(text)}`),
    get: () => Promise.resolve(undefined),
  };

  test('the words of a tool that failed are shortened too', async () => {
    const { conversation, outcome } = await run(
      defineTool({
        name: 'fail',
        description: '',
        input: z.object({}),
        execute: () => {
          throw new Error(long);
        },
      }),
      keeping,
    );
    await outcome;
    const error = [...conversation.events].find(({ type }) => type === 'agent-error');
    expect(error).toMatchObject({ error: expect.stringMatching(/^x{7}\n\[490 .*kept as 'h1'/) as string });
    expect(kept).toEqual([long]);
  });

  test('the final answer is never cut', async () => {
    expect(await (await run(finishTool(), keeping)).outcome).toMatchObject({ answer: long });
  });

  test('a store that never answers: after an interrupt the whole output is in the log', async () => {
    const running: { conversation?: Conversation } = {};
    const { conversation, outcome } = await run(
      defineTool({ name: 'say', description: '', input: z.object({}), execute: () => long }),
      {
        put: () => (setImmediate(() => running.conversation?.interrupt()), new Promise(() => undefined)),
        get: () => Promise.resolve(undefined),
      },
    );
    running.conversation = conversation;
    expect(await outcome).toMatchObject({ status: 'paused' });
    const events = [...conversation.events];
    const whole = events.find(({ type }) => type === 'agent/tool-output');
    expect(whole).toMatchObject({ text: long });
    expect(events.find(({ type }) => type === 'observation')).toMatchObject({
      content: [{ text: expect.stringMatching(/^x{7}\n\[490 /) as string }],
      details: { outputStoreError: 'The run was interrupted.', outputHandle: whole?.id },
    });
  });
});
