import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hostHistories } from './histories.js';
import type { LogOf } from './histories.js';
import { median } from './measure.js';
import type { Row } from './measure.js';

const rounds = 11;
const firstFit = fileURLToPath(new URL('first-fit.mjs', import.meta.url));
const bare = ['-e', 'const { user, system } = process.cpuUsage(); console.log(user + system)'];
const limits = { nothing: [0.35, 0.2], 'priced, none due': [0.55, 0.3] } as const;
type Policy = keyof typeof limits;

/** Compares the first fit of a process, of 100 messages, with all that a bare Node takes from its start to its end. */
export async function freshProcess(logOf: LogOf): Promise<readonly Row[]> {
  const { messages } = hostHistories('chat', logOf(500), 100)();
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
  const file = join(folder, 'messages.json');
  try {
    await writeFile(file, JSON.stringify(messages));
    const policies = Object.keys(limits) as Policy[];
    const [floors, fits, loads]: [number[], number[][], number[]] = [[], policies.map(() => []), []];
    for (let round = 0; round < rounds; round++) {
      floors.push((await printed(bare)) as number);
      for (const [index, policy] of policies.entries()) {
        const { load, fit } = (await printed([firstFit, file, policy])) as { load: number; fit: number };
        loads.push(load);
        fits[index]?.push(fit);
      }
    }
    const share = (times: readonly number[]): number => median(times) / median(floors);
    return [
      ...policies.map((policy, index) => ({
        what: `first fit of a fresh process, ${policy}, 100, to bare Node`,
        figure: share(fits[index] ?? []),
        limits: limits[policy],
      })),
      { what: 'loading messages and condensers in a fresh process, to bare Node', figure: share(loads) },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the output of a process of Node's, parsed as JSON. */
async function printed(args: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}
