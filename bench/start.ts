import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './measure.js';
import type { Row } from './measure.js';

const rounds = 11;
const repository = fileURLToPath(new URL('..', import.meta.url));
const endAtFirstFrame = fileURLToPath(new URL('end-at-first-frame.cjs', import.meta.url));
const builtCli = (app: string): string => join(repository, 'apps', app, 'dist/cli.js');

/** Returns the arguments of a program without our packages that imports the SDK and sends a request. */
const alone = (script: string): readonly string[] => ['--input-type=module', '-e', script];
const message = `model: 'model', messages: [{ role: 'user', content: 'Hello?' }]`;
const openaiAlone = (address: string): string =>
  `import OpenAI from 'openai';
  await new OpenAI({ apiKey: 'none', baseURL: '${address}/v1' }).chat.completions.create({ ${message} });`;
const anthropicAlone = (address: string): string =>
  `import Anthropic from '@anthropic-ai/sdk';
  await new Anthropic({ apiKey: 'none', baseURL: '${address}' }).messages.create({ max_tokens: 9, ${message} });`;

type Measured = readonly [name: string, args: readonly string[]];

function processes(address: string): readonly Measured[] {
  const agent = builtCli('reference-agent');
  const run = (model: string): readonly string[] => [
    agent,
    '-p',
    'Hello?',
    '--base-url',
    `${address}/v1`,
    '--model',
    model,
  ];
  return [
    ['node -e 0', ['-e', '0']],
    ['palimpsest --help', [agent, '--help']],
    ['palimpsest list', [agent, 'list']],
    ['palimpsest, first frame of the screen', ['--require', endAtFirstFrame, agent]],
    ['node and the SDK openai alone, first request', alone(openaiAlone(address))],
    ['palimpsest -p …, first request, openai', run('openai:gpt-5.6')],
    ['node and the SDK of Anthropic alone, first request', alone(anthropicAlone(address))],
    ['palimpsest -p …, first request, anthropic', run('anthropic:claude-opus-4-6')],
    ['palimpsest-harness --help', [builtCli('test-harness'), '--help']],
  ];
}

/**
 * Compares the CPU time, user and system, of whole processes and of those that they start, with that of an empty one. A process
 * that asks a model ends when its first request has reached the server, which is this process. Where Node keeps compiled code, it
 * has been kept before.
 */
export async function starts(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-start-'));
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  spawnSync('git', ['init', '-q'], { cwd: workspace });
  let onRequest = (): void => undefined;
  const server = createServer(() => onRequest()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const measured = processes(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const times = measured.map((): number[] => []);
  const cpuOf = async (args: readonly string[], signal: 'SIGUSR2' | 'SIGTERM'): Promise<number> => {
    // The shell counts its children, and theirs that have ended. The server's signal ends all but the shell.
    const script = `trap : ${signal}; TIMEFORMAT='%3U %3S'; time "$@" > /dev/null 2>&1 < /dev/null`;
    const shell = spawn('bash', ['-c', script, 'bash', process.execPath, ...args], {
      cwd: args[0]?.startsWith('--input') === true ? repository : workspace,
      env: {
        ...process.env,
        HOME: folder,
        XDG_STATE_HOME: folder,
        XDG_CACHE_HOME: folder,
        TMPDIR: folder,
        OPENAI_API_KEY: 'none',
        ANTHROPIC_API_KEY: 'none',
        TERM: 'xterm-256color',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    onRequest = () => {
      onRequest = () => undefined;
      process.kill(-(shell.pid ?? NaN), signal);
    };
    let told = '';
    shell.stderr.setEncoding('utf8').on('data', (text: string) => (told += text));
    await once(shell, 'close');
    const [, user, system] = /(\d+\.\d+) (\d+\.\d+)\s*$/.exec(told) ?? [];
    if (user === undefined) throw new Error(`${args.join(' ')}: ${told}`);
    return (Number(user) + Number(system)) * 1_000;
  };
  try {
    // An interrupted run ends by itself, and then Node writes what it has compiled.
    for (const [, args] of measured) await cpuOf(args, 'SIGTERM');
    for (let round = 0; round < rounds; round++) {
      for (const [index, [, args]] of measured.entries()) times[index]?.push(await cpuOf(args, 'SIGUSR2'));
    }
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  }
  const [floor = NaN, ...medians] = times.map(median);
  return medians.map((time, index) => ({ what: `to bare Node: ${measured[index + 1]?.[0]}`, figure: time / floor }));
}
