import { readdir, readFile, writeFile } from 'node:fs/promises';
import { watch } from 'node:fs';
import { anthropicServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { calls, chatServer, says, toolCall } from '../../test-support/chat-server.js';
import type { ChatServerOptions } from '../../test-support/chat-server.js';
import { eventsOf, headlessRig } from '../../test-support/headless-rig.js';
import type { HeadlessRig } from '../../test-support/headless-rig.js';
import { isRunning } from '../../test-support/running-processes.js';
import type { RunFlags } from '../context.js';
import { streamEventSchema, streamJsonSchema } from '../output/stream-event.js';
import type { ResultEvent } from '../output/stream-event.js';

/** A rig whose model is a server of Chat Completions. */
async function rigWith(
  options: ChatServerOptions,
  files: Readonly<Record<string, string>> = {},
): Promise<HeadlessRig & { readonly server: ProviderServer }> {
  const server = await chatServer(options);
  return { ...(await headlessRig(files, { model: 'local', baseUrl: server.baseURL })), server };
}

const reads: ChatServerOptions['reply'] = (_, index) =>
  index % 2 === 0 ? calls('I read it.', toolCall('read_file', { path: 'a.txt' })) : says('It says\n\thello.');

test('text: the answer on standard output, a line a step on standard error', async () => {
  const rig = await rigWith({ reply: reads }, { 'a.txt': 'hello' });
  const ran = await rig.run({ print: 'What does a.txt say?', outputFormat: 'text' });
  expect(ran).toMatchObject({ status: 0, stdout: 'It says\n\thello.\n' });
  const lines = ran.stderr.trimEnd().split('\n');
  expect(lines[0]).toMatch(new RegExp(`^palimpsest: session \\w{8}: local in ${rig.workspace}$`));
  expect(lines.find((line) => line.startsWith('  1  '))).toMatch(
    /^ {2}1 {2}I read it\. +read_file a\.txt +\d\.\dk +\d\.\dk$/,
  );
  expect(lines.at(-2)).toBe('palimpsest: No price is known for local: the cost is not known.');
  expect(lines.at(-1)).toMatch(/^palimpsest: done: 2 model calls · [\d,]+ tokens in, \d+ out · session \w{8}$/);
});

test('the task comes from standard input', async () => {
  const rig = await rigWith({ reply: () => says('Done.') });
  expect((await rig.run({ outputFormat: 'text' }, { stdin: 'Do it.\n' })).stdout).toBe('Done.\n');
  expect((await rig.run({ outputFormat: 'text', print: '-' }, { stdin: 'Do it.\n' })).stdout).toBe('Done.\n');
  expect(await rig.run({ outputFormat: 'text' }, { stdin: '\n' })).toMatchObject({ status: 2, stdout: '' });
});

test('json: what was read again after it was hidden is in the result, of the whole session', async () => {
  const text = Array.from({ length: 100 }, (_, line) => `export const part${line} = load(${line});`).join('\n');
  const paths = ['a.ts', ...Array.from({ length: 6 }, (_, index) => `other${index}.ts`), 'a.ts'];
  const replies = paths.map((path, index) => calls(null, toolCall('read_file', { path }, `call ${index}`)));
  const rig = await rigWith(
    { reply: () => replies.shift() ?? says('Read.') },
    Object.fromEntries(paths.map((path) => [path, path === 'a.ts' ? text : `${path}\n`])),
  );
  await rig.configure('[condenser]\ntype = "amortizedForgetting"\nmaxSize = 10\nkeepFirst = 1\n');
  const { stdout } = await rig.run({ print: 'Read them.', outputFormat: 'json' });
  const { session, reread } = JSON.parse(stdout) as ResultEvent;
  expect(reread).toMatchObject({ calls: 1 });
  expect(reread.tokens).toBeGreaterThan(500);
  expect(reread.bill).toBeGreaterThan(0);
  expect(reread.bill).toBeLessThan(1);
  const resumed = await rig.resume(session, { print: 'Go on.', outputFormat: 'json' });
  expect(JSON.parse(resumed.stdout)).toMatchObject({ reread: { calls: 1, tokens: reread.tokens } });
});

test('json: one object; stream-json: lines of the published schema, of which the last is that object', async () => {
  const rig = await rigWith({ reply: reads }, { 'a.txt': 'hello' });
  const { stdout } = await rig.run({ print: 'What?', outputFormat: 'json' });
  expect(JSON.parse(stdout)).toMatchObject({ type: 'result', status: 'done', answer: 'It says\n\thello.', steps: 2 });
  expect(JSON.parse(stdout)).toMatchObject({ reread: { calls: 0, tokens: 0, bill: 0 } });

  const ran = await rig.run({ print: 'What?', outputFormat: 'stream-json', deltas: true });
  const published = z.fromJSONSchema(
    JSON.parse(await readFile(schemaFile, 'utf8')) as Parameters<typeof z.fromJSONSchema>[0],
  );
  for (const event of ran.events) {
    expect(streamEventSchema.parse(event)).toEqual(event);
    published.parse(event);
  }
  const types = ran.events.map(({ type }) => type);
  expect(types[0]).toBe('init');
  expect(types.at(-1)).toBe('result');
  expect(types.filter((type) => type === 'tool-call' || type === 'tool-result')).toEqual(['tool-call', 'tool-result']);
  expect(
    eventsOf(ran, 'delta')
      .map(({ text }) => text)
      .join(''),
  ).toBe('I read it.It says\n\thello.');
  expect(published.safeParse({ type: 'something-new', any: 1 }).success).toBe(true);
  expect(published.safeParse({ type: 'retry', attempt: 'one' }).success).toBe(false);
});

const schemaFile = new URL('../../schemas/stream-json-1.json', import.meta.url);

test('the published schema is that of this version', async () => {
  expect(JSON.parse(await readFile(schemaFile, 'utf8'))).toEqual(JSON.parse(JSON.stringify(streamJsonSchema())));
});

test('a run is denied if all its writes were, whatever calls there were that could never run', async () => {
  const answers = [
    calls('', toolCall('write_file', { path: 'a.txt' }), toolCall('patch_file', {})),
    calls('', toolCall('write_file', { path: 'a.txt', content: 'x' })),
    says('Done.'),
  ];
  const rig = await rigWith({ reply: (_, index) => answers[index] ?? says('Done.') });
  const ran = await rig.run({ print: 'Write it.', outputFormat: 'json', yolo: false });
  expect(ran.status).toBe(8);
  expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'denied', answer: 'Done.' });
});

test('escapes of models and tools are shown and not obeyed', async () => {
  const evil = '\u001b]0;owned\u0007\u202e';
  const rig = await rigWith(
    {
      reply: (_, index) => (index % 2 === 0 ? calls(evil, toolCall('read_file', { path: evil })) : says(evil)),
    },
    {},
  );
  for (const outputFormat of ['text', 'json', 'stream-json'] as const) {
    const { stdout, stderr } = await rig.run({ print: `Go ${evil}`, outputFormat });
    expect(`${stdout}${stderr}`).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(stdout).toMatch(/\\(x1b|u001b)\]0;owned/);
  }
});

test('a limit, a failure and a run that gets nowhere each have a status', async () => {
  const again = await rigWith({ reply: () => calls(null, toolCall('list_files', {})) });
  const limited = await again.run({ print: 'Go.', maxSteps: 3 });
  expect(limited.status).toBe(4);
  expect(limited.events.at(-1)).toMatchObject({ status: 'limit', error: { code: 'limit-exceeded' }, steps: 3 });
  const stuck = await again.run({ print: 'Go.' });
  expect(stuck.status).toBe(3);
  expect(stuck.events.at(-1)).toMatchObject({ status: 'stuck' });

  const failing = await rigWith({ reply: () => says('Hi.'), faults: () => ({ fault: 'spend-limit' }) });
  const failed = await failing.run({ print: 'Go.', outputFormat: 'text' });
  expect(failed).toMatchObject({ status: 1, stdout: '' });
  expect(failed.stderr.split('\n').filter((line) => /spend|quota|limit/i.test(line))).toHaveLength(1);
});

test('an answer that is cut is continued; after the fourth cut in a row the run ends as incomplete', async () => {
  const cut = (text: string) => ({ ...says(text), finish_reason: 'length' as const });
  const rig = await rigWith({ reply: (_, index) => (index < 6 ? cut(`${index},`) : says('end.')) });
  const ran = await rig.run({ print: 'Go.', outputFormat: 'text', maxOutputTokens: 900 });
  expect(ran).toMatchObject({ status: 7, stdout: '' });
  expect(ran.stderr).toContain('--max-output-tokens');
  expect(rig.server.requests.map(({ body }) => body)).toMatchObject(Array(4).fill({ max_tokens: 900 }));
  const goneOn = await rig.run({ continue: true });
  expect(goneOn).toMatchObject({ status: 0 });
  expect(goneOn.events.at(-1)).toMatchObject({ status: 'done', answer: '0,1,2,3,4,5,end.', steps: 3 });
});

test('words that end for a reason that only the provider knows are the answer, and the result says so', async () => {
  const rig = await rigWith({ reply: () => ({ ...says('Done.'), finish_reason: 'a_reason_of_its_own' }) });
  const told = await rig.run({ print: 'Go.' });
  expect(told).toMatchObject({ status: 0 });
  expect(told.events.at(-1)).toMatchObject({ status: 'done', answer: 'Done.', finishReason: 'other' });
  const shown = await rig.run({ print: 'Go.', outputFormat: 'text' });
  expect(shown).toMatchObject({ status: 0, stdout: 'Done.\n' });
  expect(shown.stderr).toContain('it may not be whole');
});

test('of an answer that is cut the whole calls run, and the cut one is told to the model', async () => {
  const whole = toolCall('write_file', { path: 'whole.txt', content: 'whole' });
  const begun = '{"path":"half.txt","content":"ha';
  const cut = { id: 'call_2', type: 'function', function: { name: 'write_file', arguments: begun } };
  const rig = await rigWith({
    reply: (_, index) =>
      index === 0 ? { ...calls(null, whole, cut), finish_reason: 'length' as const } : says('Done.'),
  });
  const ran = await rig.run({ print: 'Go.', yolo: true });
  expect(ran.status).toBe(0);
  expect(await readFile(join(rig.workspace, 'whole.txt'), 'utf8')).toBe('whole');
  await expect(readFile(join(rig.workspace, 'half.txt'))).rejects.toThrow('ENOENT');
  expect(eventsOf(ran, 'tool-result')).toMatchObject([{ status: 'failed' }, { status: 'ok' }]);
  expect(JSON.stringify(rig.server.requests.at(-1)?.body)).toContain('Nothing of this call ran. Send smaller parts');
});

test('what the provider refuses has a status, with both SDKs', async () => {
  const chat = await rigWith({ reply: () => ({ message: { content: null, refusal: 'No.' } }) });
  const filtered = await rigWith({ reply: () => ({ message: { content: '' }, finish_reason: 'content_filter' }) });
  const server = await anthropicServer({ reply: () => ({ content: [], stop_reason: 'refusal' }) });
  onTestFinished(() => server.close());
  const anthropic = await headlessRig({}, { model: 'anthropic:claude-opus-4-6', baseUrl: server.baseURL });
  for (const rig of [chat, filtered, anthropic]) {
    const ran = await rig.run({ print: 'Go.' });
    expect(ran.status).toBe(5);
    expect(ran.events.at(-1)).toMatchObject({
      status: 'refused',
      exitStatus: 5,
      error: { code: expect.any(String) as string },
    });
  }
});

test('each failure says what to do, in the words of this command', async () => {
  const looping = await rigWith({ reply: () => calls(null, toolCall('list_files', {})) });
  const problemOf = async (rig: HeadlessRig, flags: Partial<RunFlags>) => {
    const ran = await rig.run({ print: 'Go.', ...flags });
    const said = ran.events.at(-1);
    return said?.type === 'result' ? said.error?.message : undefined;
  };
  expect(await problemOf(looping, { maxSteps: 1 })).toBe(
    'The limit of 1 model call was reached (--max-steps, or maxSteps in the configuration).',
  );
  expect(await problemOf(looping, { baseUrl: looping.server.baseURL.replace('/v1', '') })).toMatch(
    /\(404\).* below http:.*Is this the address of the API\? It often ends in \/v1/,
  );
  const keyed = await rigWith({ reply: () => says('Hi.'), apiKey: 'a-key-of-this-test' });
  expect(await problemOf(keyed, {})).toMatch(/\(401\).* PALIMPSEST_API_KEY/);
  const limited = await rigWith({
    reply: () => says('Hi.'),
    faults: [{ fault: 'rate-limit', retryAfterSeconds: 3_600 }],
  });
  expect(await problemOf(limited, {})).toMatch(/\(429\).*\. The server asks to wait for 60 minutes\.$/);
  const stuck = await looping.run({ print: 'Go.', outputFormat: 'text' });
  expect(stuck.stderr).toMatch(/got nowhere: the model makes the same call again and again/);
  // As it is, the session has nothing to go on with.
  expect(stuck.stderr).toMatch(/Go on with: palimpsest resume \w+ -p "…"/);
  await expect(looping.run({ print: ' ' })).rejects.toThrow('The task is empty.');
  await expect(looping.run({ print: 'Go.', cwd: '' })).rejects.toThrow('--cwd is empty');
});

test('a limit of the cost and a model without a known price: nothing is asked', async () => {
  const rig = await rigWith({ reply: () => says('Hi.') });
  Object.assign(rig.env, { OPENAI_API_KEY: 'sk-test-0123456789' });
  const named = { print: 'Go.', maxCost: 1, baseUrl: undefined };
  const unknown = /price of '[\w.-]+' is not known, so a limit of \$1 .*--max-steps/;
  await expect(rig.run({ print: 'Go.', maxCost: 1 })).rejects.toThrow(unknown);
  await expect(rig.run({ ...named, model: 'openai/gpt-5', smallModel: 'ollama/qwen3' })).rejects.toThrow(unknown);
  const config = join(rig.workspace, 'own.toml');
  await writeFile(config, '[condenser]\ntype = "llmSummarizing"\nllm = "ollama/qwen3"\n');
  await expect(rig.run({ ...named, model: 'openai/gpt-5', config })).rejects.toThrow(unknown);
  expect(rig.server.requests).toEqual([]);
  await expect(readdir(rig.sessions)).resolves.toEqual([]);
});

test('summaries are asked of the small model, and nothing else is', async () => {
  const rig = await rigWith(
    {
      reply: (body, index) => {
        if ((body as { readonly tools?: unknown }).tools === undefined) return says('Files were read.');
        return index < 6 ? calls(null, toolCall('read_file', { path: `${index}.txt` })) : says('Done.');
      },
    },
    Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`${index}.txt`, `hello ${index} `.repeat(200)])),
  );
  const config = join(rig.workspace, 'own.toml');
  await writeFile(config, 'smallModel = "small"\n[condenser]\ntype = "llmSummarizing"\nmaxSize = 8\nkeepFirst = 2\n');
  const ran = await rig.run({ print: 'Go.', config });
  expect(ran.status).toBe(0);
  const asked = rig.server.requests.map(({ body }) => body as { readonly model: string; readonly tools?: unknown });
  expect(asked.filter(({ model }) => model === 'small').length).toBeGreaterThan(0);
  for (const { model, tools } of asked) expect(model).toBe(tools === undefined ? 'small' : 'local');
});

test('a model without tool calling writes its calls as text', async () => {
  const rig = await rigWith(
    {
      reply: (body, index) => {
        expect((body as { readonly tools?: unknown }).tools).toBeUndefined();
        return says(
          index === 0 ? '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n</tool_call>' : 'Read.',
        );
      },
    },
    { 'a.txt': 'hello' },
  );
  const ran = await rig.run({ print: 'Go.', toolCalls: 'text' });
  expect(ran.events.at(-1)).toMatchObject({ status: 'done', answer: 'Read.' });
  expect(eventsOf(ran, 'tool-result')).toMatchObject([{ name: 'read_file', status: 'ok' }]);
});

test('a model that fails is asked again for two minutes, or as long as a flag says, and that is told', async () => {
  const overloaded = { fault: 'overloaded' } as const;
  const rig = await rigWith({
    reply: () => says('Done.'),
    faults: [{ fault: 'rate-limit', retryAfterSeconds: 0 }, overloaded, overloaded, overloaded, overloaded],
  });
  const ran = await rig.run({ print: 'Go.' });
  const retries = eventsOf(ran, 'retry');
  expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
  expect(retries[0]).toMatchObject({ remainingMs: 120_000, delayMs: 0 });
  expect(retries[0]).not.toHaveProperty('attempts');
  expect(ran.status).toBe(0);

  const down = await rigWith({ reply: () => says('Done.'), faults: () => overloaded });
  const failed = await down.run({ print: 'Go.', retrySeconds: 0 });
  expect([failed.status, down.server.requests.length]).toEqual([1, 1]);
});

/** Interrupts the first run when `at` says so, and goes on with it. Resolves to both. */
async function interruptedRun(rig: HeadlessRig, at: (told: string, interrupt: () => void) => void) {
  const controller = new AbortController();
  const ran = await rig.run(
    { print: 'Go.', deltas: true },
    { signal: controller.signal, onOutput: (text) => at(text, () => controller.abort(new Error('SIGINT'))) },
  );
  expect(ran.status).toBe(130);
  const result = eventsOf(ran, 'result')[0];
  expect(result).toMatchObject({ status: 'interrupted', exitStatus: 130 });
  const goneOn = await rig.resume(result?.session, {});
  expect(goneOn).toMatchObject({ status: 0 });
  expect(goneOn.events.at(-1)).toMatchObject({ status: 'done', session: result?.session });
  return { ran, goneOn };
}

test('interrupted while an answer comes: what came is kept, and the model is told', async () => {
  const rig = await rigWith({
    reply: () => says('This is a long answer, of which only a part arrives.'),
    faults: (_, index) => (index === 0 ? { fault: 'stall', afterEvents: 3 } : undefined),
  });
  const { ran } = await interruptedRun(rig, (told, interrupt) => {
    if (told.includes('"delta"')) interrupt();
  });
  const words = eventsOf(ran, 'message').filter(({ from }) => from === 'model');
  expect(words).toMatchObject([{ isCutOff: true }]);
  // This provider counts at the end, which never came.
  const [result] = eventsOf(ran, 'result');
  expect(result).toMatchObject({ steps: 1, usageIsEstimated: true });
  expect(result?.usage.uncachedInputTokens).toBeGreaterThan(0);
  expect(result?.usage.outputTokens).toBeGreaterThan(0);
  expect(JSON.stringify(rig.server.requests.at(-1)?.body)).toContain('was interrupted before it was complete');
});

test('interrupted in a command: it ends, and the model is told', async () => {
  const rig = await rigWith({
    reply: (_, index) =>
      index === 0
        ? calls(null, toolCall('run_command', { command: `touch started; sleep 617.${process.pid}` }))
        : says('Done.'),
  });
  let interruptNow: () => void = () => undefined;
  const watcher = watch(rig.workspace, (_, name) => {
    if (name === 'started') interruptNow();
  });
  onTestFinished(() => watcher.close());
  const { ran } = await interruptedRun(rig, (_, interrupt) => (interruptNow = interrupt));
  expect(eventsOf(ran, 'tool-result')).toMatchObject([{ name: 'run_command', status: 'interrupted' }]);
  // In a sandbox it has another number than here.
  await vi.waitUntil(() => !isRunning(`617.${process.pid}`), { timeout: 60_000 });
});

test('resume: with a new task, with the model and the folder of the session, and told what was wrong otherwise', async () => {
  const rig = await rigWith({ reply: (_, index) => says(`Answer ${index}.`) });
  const first = await rig.run({ print: 'One.' });
  const id = eventsOf(first, 'init')[0]?.session ?? '';
  await expect(rig.resume(id, {})).rejects.toThrow(`Session '${id}' is finished. Give it a new task`);
  const second = await rig.resume(id.slice(0, 4), { print: 'Two.', model: undefined, baseUrl: undefined });
  expect(second.events.at(-1)).toMatchObject({ status: 'done', answer: 'Answer 1.', session: id });
  expect(JSON.stringify(rig.server.requests.at(-1)?.body)).toContain('One.');
  await expect(rig.resume('nothing', {})).rejects.toThrow("There is no session 'nothing'");
  await expect(rig.run({ print: 'Go.', cwd: 'nowhere' })).rejects.toThrow('Cannot work in');
});

test('a name that a provider refuses: the known names that begin alike are told, and what is sent is not guessed', async () => {
  const refusal = { status: 400, type: 'invalid_request_error', message: 'The requested model does not exist.' };
  const rig = await rigWith({ reply: () => ({ error: refusal }) });
  Object.assign(rig.env, { OPENAI_API_KEY: 'sk-test-0123456789', OPENAI_BASE_URL: rig.server.baseURL });
  const refused = async (model: string): Promise<string> => {
    const ran = await rig.run({ print: 'Go.', model, baseUrl: undefined });
    return eventsOf(ran, 'result')[0]?.error?.message ?? '';
  };
  expect(await refused('openai:gpt-5.6')).toMatch(
    /does not exist\. 'gpt-5\.6' is not a model that is known here\. Known with such a name: gpt-5\.6-sol, gpt-5\.6-terra, gpt-5\.6-luna\.$/,
  );
  expect(rig.server.requests.at(-1)?.body).toMatchObject({ model: 'gpt-5.6' });
  // A name like none, and one that is known.
  expect(await refused('openai:zebra')).toMatch(/does not exist\.$/);
  expect(await refused('openai:gpt-5')).toMatch(/does not exist\.$/);
});
