import { anthropicServer } from '@palimpsest/provider-servers';
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';

const program = path.resolve(import.meta.dirname, '../../dist/cli.js');

interface Given {
  /** @defaultValue Node runs the agent */
  readonly command?: string;
  /** The agent is called `qwen`, and has these settings. */
  readonly qwenSettings?: object;
}

/** Runs an agent, the text of a module, behind the gateway, before a provider. */
async function runs(agent: string, { command = process.execPath, qwenSettings }: Given = {}) {
  const server = await anthropicServer({ reply: () => ({ content: [{ type: 'text', text: 'Hello.' }] }) });
  const folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-run-'));
  onTestFinished(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const [script, qwen] = [path.join(folder, 'agent.mjs'), path.join(folder, 'qwen')];
  await writeFile(script, `#!/usr/bin/env node\n${agent}`, { mode: 0o755 });
  await symlink(script, qwen);
  await mkdir(path.join(folder, '.qwen'));
  await writeFile(path.join(folder, '.qwen/settings.json'), JSON.stringify(qwenSettings ?? {}));
  const own = qwenSettings === undefined ? ['--env', 'AGENT_URL', '--', command, script] : ['--', qwen];
  const words = [program, 'run', '--data', path.join(folder, 'data'), ...own, 'a b', '--flag'];
  const child = spawn(process.execPath, words, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, AGENT_URL: server.baseURL, OPENAI_MODEL: 'one' },
  });
  return { child, server, folder };
}

async function endOf(child: ChildProcessWithoutNullStreams) {
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [output, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { output, errors, status };
}

const asks = `
const body = JSON.stringify({ model: 'claude-haiku-4-5', max_tokens: 9, messages: [{ role: 'user', content: 'Hello?' }] });
const { status } = await fetch(url + '/v1/messages', { method: 'POST', headers: { 'x-api-key': 'k' }, body });
`;

it('hands over arguments, terminal and exit status, and says at the end what was sent', async () => {
  const agent = `const url = process.env.AGENT_URL; ${asks}
for await (const line of process.stdin) console.log(String(line) + process.argv.slice(2).join('|'));
console.error(process.env.NO_PROXY);
process.exitCode = status === 200 ? 7 : 1;`;
  const { child, server } = await runs(agent);
  child.stdin.end('typed ');
  const { output, errors, status } = await endOf(child);
  expect([output, status]).toEqual(['typed a b|--flag\n', 7]);
  expect(errors).toMatch(/^127\.0\.0\.1\n[^]*palimpsest-gateway\n1 request/);
  expect(server.requests).toHaveLength(1);
});

it('says that no request arrived', async () => {
  const { child } = await runs('');
  const { errors, status } = await endOf(child);
  expect(status).toBe(0);
  expect(errors).toMatch(/No request arrived/);
});

it.skipIf(process.platform === 'win32')('passes a signal on, and waits for the agent', async () => {
  const { child } = await runs(`
process.on('SIGTERM', () => { console.log('heard'); process.exit(9); });
console.log('ready');
setInterval(() => undefined, 1_000);`);
  child.stdout.once('data', () => child.kill('SIGTERM'));
  const { output, status } = await endOf(child);
  expect([output, status]).toEqual(['ready\nheard\n', 9]);
});

it.skipIf(process.platform === 'win32')('ends as an agent that a signal has ended', async () => {
  const { child } = await runs(`process.kill(process.pid, 'SIGKILL'); setInterval(() => undefined, 1_000);`);
  expect((await endOf(child)).status).toBe(128 + 9);
});

it('says that an agent cannot be started', async () => {
  const { child } = await runs('', { command: 'no-such-agent' });
  const { errors, status } = await endOf(child);
  expect(status).toBe(2);
  expect(errors).toMatch(/The agent could not be started: spawn no-such-agent ENOENT/);
});

it.skipIf(process.platform === 'win32')('leads Qwen Code by a file that is gone afterwards', async () => {
  const agent = `
import { readFileSync } from 'node:fs';
const settings = JSON.parse(readFileSync(process.env.QWEN_CODE_SYSTEM_SETTINGS_PATH, 'utf8'));
const url = settings.modelProviders.openai[0].baseUrl; ${asks}
console.log(status);`;
  const qwenSettings = { modelProviders: { openai: [{ id: 'one', baseUrl: '$AGENT_URL' }] } };
  const { child, folder } = await runs(agent, { qwenSettings });
  const { output, errors } = await endOf(child);
  expect([output, errors]).toEqual(['200\n', expect.stringMatching(/1 request/)]);
  expect((await readdir(path.join(folder, 'data'))).filter((name) => name.startsWith('settings'))).toEqual([]);
});
