import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { once } from 'node:events';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { command } from '../../test-support/command.js';
import type { RunningCommand } from '../../test-support/command.js';

let data: string;
let started: RunningCommand[] = [];
let providers: Awaited<ReturnType<typeof startProviders>>;
beforeAll(async () => {
  providers = await startProviders();
});
afterAll(() => Promise.all([providers.anthropic.close(), providers.openai.close()]));
beforeEach(async () => {
  data = await mkdtemp(path.join(tmpdir(), 'palimpsest-gateway-'));
});
afterEach(async () => {
  for (const each of started) each.kill('SIGKILL');
  await Promise.all(started.map(({ ended }) => ended));
  started = [];
  await rm(data, { recursive: true, maxRetries: 10 });
});

const startProviders = async () => ({
  anthropic: await anthropicServer({ reply: () => ({ content: [{ type: 'text', text: 'From one.' }] }) }),
  openai: await openaiServer({ reply: () => ({ message: { content: 'From two.' } }) }),
});

/** Serves both providers, and returns the addresses that are printed. */
async function serving(port = '0') {
  const upstreams = [`one=${providers.anthropic.baseURL}`, `two=${providers.openai.baseURL}`];
  const options = upstreams.flatMap((each) => ['--upstream', each]);
  const served = command(['serve', '--data', data, '--port', port, ...options]);
  started.push(served);
  const [, one = '', two = ''] = await served.until(/one {2}(http:\S+) [^]*two {2}(http:\S+) /);
  return { served, one, two };
}

/** Asks the first provider, or the second one, which has another API. */
function ask(url: string, isChat = false): Promise<Response> {
  const headers: Record<string, string> = isChat
    ? { authorization: 'Bearer k' }
    : { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
  return fetch(`${url}${isChat ? '/chat/completions' : '/v1/messages'}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: isChat ? 'gpt-4o' : 'claude-opus-4-5',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Who is it?' }],
    }),
  });
}

it('leads each address to its provider, and has the same ones when it is started again', async () => {
  const { served, one, two } = await serving();
  expect(await (await ask(one)).text()).toContain('From one.');
  expect(await (await ask(two, true)).text()).toContain('From two.');
  served.kill('SIGTERM');
  expect(await served.ended).toBe(0);
  expect(served.errors()).toBe('');
  await expect(ask(one)).rejects.toThrow();

  const again = await serving(new URL(one).port);
  expect([again.one, again.two]).toEqual([one, two]);
  expect((await ask(one)).status).toBe(200);
  // As a terminal does at Ctrl-C: to the command and to its process.
  process.kill(-again.served.pid, 'SIGINT');
  expect(await again.served.ended).toBe(0);
  expect(again.served.errors()).toBe('');
});

it('takes its process with it when it is killed, and no receipt is lost', async () => {
  const { served, one } = await serving();
  await Promise.all(Array.from({ length: 10 }, () => ask(one).then((answer) => answer.text())));
  served.kill('SIGKILL');
  expect(await served.ended).toBe('SIGKILL');
  for (let isGone = false; !isGone;) {
    isGone = await ask(one).then(
      () => false,
      () => true,
    );
    await wait(10);
  }
  const folder = path.join(data, 'receipts');
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(path.join(folder, name), 'utf8')));
  expect(texts.join('').trim().split('\n')).toHaveLength(10);
});

it.each([
  ['no upstream', ['serve'], /--upstream <name=url>' not specified/],
  ['no address', ['serve', '--upstream', 'one=nowhere'], /^palimpsest-gateway: 'nowhere' is no address/],
  ['no name', ['serve', '--upstream', 'https://one.example'], /An upstream is a name and an address/],
  ['a name twice', ['serve', '--upstream', 'a=http://a.example', '--upstream', 'a=http://b.example'], /the name 'a'/],
  ['no port', ['serve', '--upstream', 'a=http://a.example', '--port', '80000'], /A port is a number up to 65535/],
])('says in a sentence what is wrong: %s', async (_, parameters, message) => {
  const served = command([...parameters, '--data', data]);
  started.push(served);
  expect(await served.ended).toBe(2);
  expect(served.errors()).toMatch(message);
  expect(served.errors().trim().split('\n')).toHaveLength(1);
  expect(served.output()).toBe('');
});

it('says that its port is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const served = command(['serve', '--data', data, '--port', String(port), '--upstream', 'a=http://a.example']);
  started.push(served);
  expect(await served.ended).toBe(2);
  expect(served.errors()).toBe(
    `palimpsest-gateway: Another program listens on port ${port}: choose another one with --port.\n`,
  );
  other.close();
});
