import { defineTool } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from './agent.js';
import { Conversation } from './conversation.js';
import { finishTool } from './finish-tool.js';
import { limitedOutput, readOutputTool } from './output-store.js';
import type { OutputStore } from './output-store.js';

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

const call = { actionId: 'a1', toolName: 'run' };
const long = `first line\n${'x'.repeat(40_000)}\nexit code 1`;

test('long output is stored whole; the model reads its beginning, its end and the handle', async () => {
  const store = memoryStore();
  const output = await limitedOutput({ content: long, details: { exitStatus: 1 } }, call, { store });
  expect(store.texts.get('of-a1')).toBe(long);
  expect(output.details).toEqual({ exitStatus: 1, outputHandle: 'of-a1', outputCharacters: long.length });
  const [part] = output.content as unknown as { readonly text: string }[];
  expect(part?.text).toMatch(/^first line\n/);
  expect(part?.text).toMatch(/exit code 1$/);
  expect(part?.text).toContain("read_output with the handle 'of-a1'");
  expect(part?.text.length).toBeLessThan(4_300);
});

test('what is within the limit, or there is no store for, stays as it is; images stay in any case', async () => {
  const store = memoryStore();
  const short = { content: 'short' };
  expect(await limitedOutput(short, call, { store })).toBe(short);
  const whole = { content: long };
  expect(await limitedOutput(whole, call, undefined)).toBe(whole);
  const image = { type: 'image', url: 'data:image/png;base64,AA==' } as const;
  const mixed = await limitedOutput({ content: [{ type: 'text', text: long }, image] }, call, { store });
  expect(mixed.content).toEqual([{ type: 'text', text: expect.any(String) as string }, image]);
});

test('a store that fails loses nothing: the output stays whole and says why', async () => {
  const store: OutputStore = {
    put: () => Promise.reject(new Error('disk full')),
    get: () => Promise.resolve(undefined),
  };
  const output = await limitedOutput({ content: long }, call, { store });
  expect(output).toEqual({ content: long, details: { outputStoreError: 'disk full' } });
});

test('a cut leaves no half of a character', async () => {
  const store = memoryStore();
  const output = await limitedOutput({ content: '😀'.repeat(20_000) }, call, { store, previewCharacters: 99 });
  const [part] = output.content as unknown as { readonly text: string }[];
  expect(part?.text.isWellFormed()).toBe(true);
});

test('the tool reads what was stored, part by part, and says what is not there', async () => {
  const store = memoryStore();
  await limitedOutput({ content: long }, call, { store });
  const tool = readOutputTool(store);
  const read = async (input: object): Promise<string> =>
    (await tool.execute(tool.parseInput(input), {} as never)) as string;
  let text = '';
  while (text.length < long.length) {
    const part = await read({ handle: 'of-a1', offset: text.length });
    text += part.slice(part.indexOf('\n') + 1);
  }
  expect(text).toBe(long);
  await expect(read({ handle: '../../etc/passwd' })).rejects.toThrow(/no stored output/);
  await expect(read({ handle: 'of-a1', offset: 99_999 })).rejects.toThrow(/behind its end/);
  // What it returns is not stored away once more.
  const again = { content: long };
  expect(await limitedOutput(again, { ...call, toolName: tool.name }, { store })).toBe(again);
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
    expect(error).toMatchObject({ error: expect.stringMatching(/^x{7}\n\[490 .*handle 'h1'/) as string });
    expect(kept).toEqual([long]);
  });

  test('the final answer is never cut', async () => {
    expect(await (await run(finishTool(), keeping)).outcome).toMatchObject({ answer: long });
  });

  test('a store that never answers: an interrupt keeps the output whole', async () => {
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
    expect([...conversation.events].find(({ type }) => type === 'observation')).toMatchObject({
      content: [{ text: long }],
      details: { outputStoreError: 'The run was interrupted.' },
    });
  });
});
