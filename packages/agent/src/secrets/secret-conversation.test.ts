import { createEvent, defineTool, userMessage } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import type { Delta } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import { Conversation } from '../conversation/conversation.js';
import { fileOutputStore } from '../node/index.js';
import { readOutputTool } from '../tool-calls/built-in-tools.js';
import { secretMask } from './mask.js';

const value = 'hunter2-hunter2';
const secrets = secretMask({ PASSWORD: value });

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'palimpsest-secrets-'));
  onTestFinished(() => rm(directory, { recursive: true }));
});

/** All bytes below the folder, and their decodings. */
async function onDisk(): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return (await Promise.all(files.map((file) => readFile(path.join(file.parentPath, file.name), 'latin1')))).join('\n');
}

function toolOf(execute: (input: { readonly text?: string | undefined }) => string) {
  return defineTool({
    name: 'run',
    description: 'Runs.',
    input: z.object({ text: z.string().optional() }),
    execute,
  });
}

test('the files of a log hold no value, whoever wrote it and wherever it stood', async () => {
  const llm = scriptedLLM({
    script: [
      { toolCalls: [{ name: 'run', arguments: { text: value } }] },
      { toolCalls: [{ name: value, arguments: {} }] },
      { toolCalls: [{ name: 'run', arguments: `{"text":"${value}","text":"` }] },
      `It was ${value}.`,
    ],
  });
  const tool = toolOf(({ text }) => {
    if (text === undefined) throw new Error(`no text for ${value}`);
    return `[secret ${value}] ${btoa(value)} ${JSON.stringify({ [value]: encodeURIComponent(value) })}`;
  });
  const agent = new Agent({
    llm,
    tools: [tool],
    systemPrompt: `Use ${value}.`,
    hooks: {
      beforeToolUse: () => ({ note: `before ${value}` }),
      afterToolUse: () => ({ note: `after ${value}` }),
    },
  });
  const conversation = await Conversation.open({ agent, secrets, store: fileEventStore({ directory }) });
  await conversation.send([
    { type: 'text', text: `My key is ${value.slice(0, 8)}` },
    { type: 'text', text: value.slice(8) },
  ]);
  await conversation.run();
  expect(conversation.status).toBe('finished');
  const bytes = await onDisk();
  expect(bytes).toContain('[secret PASSWORD]');
  expect(bytes).not.toMatch(/hunter2|aHVudGVyMi/);
  expect(JSON.stringify(llm.requests)).not.toMatch(/hunter2|aHVudGVyMi/);
});

test('an answer that was cut within a value, and goes on with its rest, shows and stores neither as one', async () => {
  const llm = scriptedLLM({
    script: [
      { text: `My key is ${value.slice(0, 9)}`, finishReason: 'length' },
      {
        text: `${value.slice(9)}, `,
        toolCalls: [{ name: 'run', arguments: `{"text":"${value.slice(0, 9)}` }],
        finishReason: 'length',
      },
      'Done.',
    ],
  });
  const agent = new Agent({ llm, tools: [toolOf(() => 'ok')] });
  const conversation = await Conversation.open({ agent, secrets, store: fileEventStore({ directory }) });
  await conversation.send('Go.');
  const shown: Delta[] = [];
  await conversation.run({ onDelta: (delta) => shown.push(delta) });
  expect(conversation.status).toBe('finished');
  for (const seen of [await onDisk(), JSON.stringify(shown), JSON.stringify(llm.requests)]) {
    expect(seen).toContain('My key is');
    expect(seen).not.toContain(value.slice(0, 4));
  }
});

test('a refusal’s reason and an error of the run are masked, in the log and for whoever catches it', async () => {
  const llm = scriptedLLM({ script: [{ toolCalls: [{ name: 'run', arguments: {} }] }, new Error(`bad key ${value}`)] });
  const agent = new Agent({ llm, tools: [toolOf(() => 'ok')], confirmation: 'always' });
  const conversation = await Conversation.open({ agent, secrets, store: fileEventStore({ directory }) });
  await conversation.send('Go.');
  await conversation.run();
  await conversation.reject(`because of ${value}`);
  const error: unknown = await conversation.run().catch((thrown: unknown) => thrown);
  expect(await onDisk()).not.toContain(value);
  expect((error as Error).message).toContain('[secret PASSWORD]');
  expect((error as Error).message).not.toContain(value);
});

test('the answer of a run is the one in the log', async () => {
  const conversation = await Conversation.open({
    agent: new Agent({ llm: scriptedLLM({ script: [`It is ${value}.`] }) }),
    secrets,
  });
  await conversation.send('Tell.');
  expect((await conversation.run()).answer).toBe('It is [secret PASSWORD].');
});

test('a question aside and its answer are masked', async () => {
  const llm = scriptedLLM({ script: ['Done.', `It is ${value}.`] });
  const conversation = await Conversation.open({ agent: new Agent({ llm }), secrets });
  await conversation.send('Go.');
  await conversation.run();
  expect(await conversation.ask(`Is it ${value}?`)).toBe('It is [secret PASSWORD].');
  expect(JSON.stringify(llm.requests)).not.toContain(value);
});

test('an output that is kept elsewhere is masked before it is cut and kept', async () => {
  const store = fileOutputStore({ directory });
  const llm = scriptedLLM({ script: [{ toolCalls: [{ name: 'run', arguments: {} }] }, 'Done.'] });
  const agent = new Agent({
    llm,
    tools: [toolOf(() => `${'x'.repeat(14)}${value}${'y'.repeat(500)}`), readOutputTool(store)],
    output: { store, maxCharacters: 100, previewCharacters: 30 },
  });
  const conversation = await Conversation.open({ agent, secrets });
  await conversation.send('Go.');
  await conversation.run();
  expect(await onDisk()).not.toContain('hunter');
  expect(JSON.stringify([...conversation.events])).not.toContain('hunter');
});

test('deltas are masked piece by piece, and all of them come before the next event', async () => {
  const llm = scriptedLLM({ script: [`It is ${value}, as you know.`] });
  const deltas: Delta[] = [];
  const conversation = await Conversation.open({ agent: new Agent({ llm }), secrets });
  await conversation.send('Tell.');
  await conversation.run({ onDelta: (delta) => deltas.push(delta) });
  const text = deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');
  expect(text).toBe('It is [secret PASSWORD], as you know.');
});

test('a log that was written without the mask, or beside the conversation, is read through it', async () => {
  const store = fileEventStore({ directory });
  const before = await Conversation.open({
    agent: new Agent({ llm: scriptedLLM({ script: ['Done.'] }) }),
    conversationId: 'c',
    store,
  });
  await before.send(`It is ${value}.`);
  await before.run();
  const llm = scriptedLLM({ script: ['Done.'] });
  const conversation = await Conversation.open({ agent: new Agent({ llm }), conversationId: 'c', store, secrets });
  await conversation.events.append(
    createEvent('message', { source: 'environment', role: 'user', content: [{ type: 'text', text: `Note ${value}` }] }),
    userMessage('And now?'),
  );
  await conversation.run();
  expect(JSON.stringify(llm.requests)).toContain('[secret PASSWORD]');
  expect(JSON.stringify(llm.requests)).not.toContain(value);
});

test('tool definitions are masked in the request, as they are in the log', async () => {
  const llm = scriptedLLM({ script: ['Done.'] });
  const tool = defineTool({
    name: 'run',
    description: `Runs with ${value}.`,
    input: z.object({}),
    execute: () => 'ok',
  });
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [tool] }), secrets });
  await conversation.send('Go.');
  await conversation.run();
  expect(inspect(llm.requests, { depth: 20 })).not.toContain(value);
});

test('a fork of a log that was written without the mask holds no value', async () => {
  const conversation = await Conversation.open({ agent: new Agent({ llm: scriptedLLM({ script: [] }) }), secrets });
  await conversation.events.append(userMessage(`It is ${value}.`));
  await conversation.fork({ store: fileEventStore({ directory }) });
  expect(await onDisk()).toContain('It is [secret PASSWORD].');
  expect(await onDisk()).not.toContain(value);
});

test('the actions that wait for confirmation are shown as logged', async () => {
  const llm = scriptedLLM({ script: [{ toolCalls: [{ name: 'run', arguments: { text: value } }] }] });
  const agent = new Agent({ llm, tools: [toolOf(() => 'ok')], confirmation: 'always' });
  const conversation = await Conversation.open({ agent, secrets });
  await conversation.send('Go.');
  const { waiting } = await conversation.run();
  expect(waiting).toEqual(conversation.waitingActions);
  expect(JSON.stringify(waiting)).toContain('[secret PASSWORD]');
});
