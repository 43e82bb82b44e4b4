import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './measure.js';

const rounds = 15;
const preloadOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const atExit = preloadOf('cpu-at-exit.cjs');
const atFirstRequest = preloadOf('cpu-at-first-request.cjs');
const builtCli = (app: string): string => fileURLToPath(new URL(`../apps/${app}/dist/cli.js`, import.meta.url));

const task = ['-p', 'Hello?', '--base-url', 'http://localhost:9/v1', '--model'];
const processes: readonly (readonly [name: string, args: readonly string[], preload?: string])[] = [
  ['node -e 0', ['-e', '0']],
  ['palimpsest --help', [builtCli('reference-agent'), '--help']],
  ['palimpsest --version', [builtCli('reference-agent'), '--version']],
  ['palimpsest -p …, first request, openai', [builtCli('reference-agent'), ...task, 'local'], atFirstRequest],
  [
    'palimpsest -p …, first request, anthropic',
    [builtCli('reference-agent'), ...task, 'anthropic:claude-opus-4-6'],
    atFirstRequest,
  ],
  ['palimpsest-harness --help', [builtCli('test-harness'), '--help']],
  ['palimpsest-harness --version', [builtCli('test-harness'), '--version']],
];

/** The CPU time, user and system, of whole processes of both commands, to that of an empty one. */
export function startBench(): void {
  const times = processes.map((): number[] => []);
  const state = mkdtempSync(join(tmpdir(), 'palimpsest-start-'));
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [index, [, args, preload]] of processes.entries()) times[index]?.push(cpuOf(args, preload, state));
    }
  } finally {
    rmSync(state, { recursive: true });
  }
  const medians = times.map(median);
  console.log('\nCPU of starting a command');
  for (const [index, [name]] of processes.entries()) {
    const [time = NaN, floor = NaN] = [medians[index], medians[0]];
    console.log(`  ${(time / floor).toFixed(2).padStart(6)}×  ${time.toFixed(0).padStart(5)} ms  ${name}`);
  }
}

/** Unit: milliseconds. */
function cpuOf(args: readonly string[], preload = atExit, state: string): number {
  const { status, output, error } = spawnSync(process.execPath, ['--require', preload, ...args], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    // Sessions, and what a process leaves that ends in the middle, go where nobody keeps them.
    env: { ...process.env, XDG_STATE_HOME: state, TMPDIR: state, OPENAI_API_KEY: 'none', ANTHROPIC_API_KEY: 'none' },
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${args.join(' ')} exits with ${status}`);
  return Number(output[3]) / 1_000;
}
