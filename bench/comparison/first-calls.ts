import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median } from '../measure.js';
import type { Subject } from './compare.js';
import type { History } from './histories.js';

const rounds = 5;
const child = fileURLToPath(new URL('first-call.ts', import.meta.url));

/** The first work of a fresh process. */
export interface FirstSubject {
  readonly name: string;
  /** The packages that a host imports for it. */
  readonly packages: readonly string[];
  /** Imports no library but its own. */
  load(): Promise<Subject>;
}

/**
 * Measures the CPU of the first step of each subject in processes of its own, beside what loading its packages takes. The history is held
 * as the subject holds it before.
 *
 * @param module the URL of a module that exports `firstSubjects`; packages are resolved from its folder
 */
export async function compareFirstCalls(history: History, subjects: readonly FirstSubject[], module: string) {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
  const file = join(folder, 'history.json');
  const cwd = fileURLToPath(new URL('.', module));
  try {
    await writeFile(file, JSON.stringify({ ...history, steps: history.steps.slice(0, 1) }));
    const calls = subjects.map((): number[] => []);
    const loads = subjects.map((): number[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [index, { packages }] of subjects.entries()) {
        calls[index]?.push(await printed(['--import', 'tsx', child, module, `${index}`, file], cwd));
        loads[index]?.push(await printed(['--input-type=module', '-e', loading(packages)], cwd));
      }
    }
    const first = median(calls[0] ?? []);
    const length = history.start.messages.length.toLocaleString('en-GB');
    console.log(`\nThe first call of a fresh process, and loading; ${history.name}, ${length} messages`);
    for (const [index, { name }] of subjects.entries()) {
      const [call, load] = [median(calls[index] ?? []), median(loads[index] ?? [])];
      console.log(
        `  ${(call / first).toFixed(2).padStart(8)}×  ${call.toFixed(1).padStart(8)} ms  ${load.toFixed(0).padStart(5)} ms to load  ${name}`,
      );
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

function loading(packages: readonly string[]): string {
  const imports = packages.map((name) => `await import('${name}');`).join(' ');
  return `const from = process.cpuUsage(); ${imports} const { user, system } = process.cpuUsage(from); console.log((user + system) / 1000)`;
}

/** Returns the number that a process of Node's prints. */
async function printed(args: readonly string[], cwd: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  return Number(stdout);
}
