import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median } from './measure.js';

const rounds = 15;
const preload = fileURLToPath(new URL('cpu-at-exit.cjs', import.meta.url));
const builtCli = (app: string): string => fileURLToPath(new URL(`../apps/${app}/dist/cli.js`, import.meta.url));

const processes: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['node -e 0', ['-e', '0']],
  ['palimpsest --help', [builtCli('reference-agent'), '--help']],
  ['palimpsest --version', [builtCli('reference-agent'), '--version']],
  ['palimpsest-harness --help', [builtCli('test-harness'), '--help']],
  ['palimpsest-harness --version', [builtCli('test-harness'), '--version']],
];

/** The CPU time, user and system, of whole processes of both commands, to that of an empty one. */
export function startBench(): void {
  const times = processes.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, [, args]] of processes.entries()) times[index]?.push(cpuOf(args));
  }
  const medians = times.map(median);
  console.log('\nCPU of starting a command');
  for (const [index, [name]] of processes.entries()) {
    const [time = NaN, floor = NaN] = [medians[index], medians[0]];
    console.log(`  ${(time / floor).toFixed(2).padStart(6)}×  ${time.toFixed(0).padStart(5)} ms  ${name}`);
  }
}

/** Unit: milliseconds. */
function cpuOf(args: readonly string[]): number {
  const stdio = ['ignore', 'ignore', 'inherit', 'pipe'] as const;
  const { status, output, error } = spawnSync(process.execPath, ['--require', preload, ...args], { stdio: [...stdio] });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${args.join(' ')} exits with ${status}`);
  return Number(output[3]) / 1_000;
}
