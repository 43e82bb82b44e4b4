import { createEvent, defineTool } from '@palimpsest/events';
import type { ToolContext } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runTool } from './run-tool.js';

const appended: unknown[] = [];
const context: ToolContext = {
  actionId: 'a',
  toolCallId: 'c',
  log: [],
  event: () => undefined,
  append: (event) => Promise.resolve(void appended.push(event)),
};

function tool(execute: (context: ToolContext) => Promise<string>) {
  return defineTool({ name: 'slow', description: '', input: z.object({}), execute: (_, given) => execute(given) });
}

test('a tool is told when its time limit is reached, and its call fails with the reason', async () => {
  const obedient = tool(
    ({ signal }) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('stopped')))),
  );
  await expect(runTool(obedient, {}, context, { timeoutMs: 5, signal: undefined })).rejects.toThrow(
    /did not answer within 5 ms/,
  );
});

test('a tool that does not stop is abandoned, and can append nothing more', async () => {
  let late: Promise<unknown> = Promise.resolve();
  let goOn: () => void = () => undefined;
  const deaf = tool(async ({ append }) => {
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    late = append(createEvent('acme/note', { source: 'environment' })).catch((error: unknown) => error);
    return 'too late';
  });
  await expect(runTool(deaf, {}, context, { timeoutMs: 5, signal: undefined })).rejects.toThrow(/5 ms/);
  goOn();
  await new Promise(setImmediate);
  expect(await late).toMatchObject({ message: expect.stringContaining('is over') as string });
  expect(appended).toEqual([]);
});

test('the output of the tool is its answer, and an abort of the run reaches it', async () => {
  expect(
    await runTool(
      tool(() => Promise.resolve('done')),
      {},
      context,
      { timeoutMs: Infinity, signal: undefined },
    ),
  ).toBe('done');
  const run = new AbortController();
  const waiting = tool(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('I was told to stop')));
        run.abort();
      }),
  );
  await expect(runTool(waiting, {}, context, { timeoutMs: 60_000, signal: run.signal })).rejects.toThrow(
    'I was told to stop',
  );
});

test('a tool does not begin when the run is over already', async () => {
  let began = false;
  const eager = tool(() => ((began = true), Promise.resolve('x')));
  const signal = AbortSignal.abort(new Error('over'));
  await expect(runTool(eager, {}, context, { timeoutMs: 5, signal })).rejects.toThrow('over');
  expect(began).toBe(false);
});

test('a time limit above the maximum of timers is no limit; the tool is not stopped at once', async () => {
  const soon = tool(
    ({ signal }) =>
      new Promise((resolve) => setTimeout(() => resolve(signal?.aborted === true ? 'told to stop' : 'done'), 20)),
  );
  expect(await runTool(soon, {}, context, { timeoutMs: 2 ** 31, signal: undefined })).toBe('done');
});
