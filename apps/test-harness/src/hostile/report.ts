import { codeDigest } from '../replay/digests.js';
import { policyDigest } from '../replay/policy.js';
import type { NamedSource } from '../replay/named-policy.js';
import { mapInOrder } from '../replay/replay.js';
import { runnerOf } from '../replay/runner.js';
import { storedFile } from '../replay/store.js';
import type { HostileResult, SetTask } from './replay-set.js';
import { hostileSets } from './sets.js';

/** Options of {@link hostileReport}. */
export interface HostileOptions {
  readonly policies: readonly NamedSource[];
  /** The lengths of the sessions. Unit: steps. */
  readonly lengths: readonly number[];
  /** The number of threads. 0: this one. */
  readonly workers: number;
  /** The place where results are stored and found again. @defaultValue none: everything is computed */
  readonly cacheFolder?: string | undefined;
  /** Ends the replays early; what is not done is left out. */
  readonly signal?: AbortSignal;
  /** Called when a session has been replayed with every policy. */
  readonly onSession?: (done: number, all: number) => void;
}

/** What the policies make of the generated sessions. */
export interface HostileReport {
  readonly rows: readonly HostileRow[];
  readonly results: readonly HostileResult[];
}

/** A policy over all sets of a length, at some prices. */
export interface HostileRow {
  readonly policy: string;
  readonly steps: number;
  readonly prices: string;
  readonly mean: number;
  readonly worst: number;
  readonly worstSet: string;
  readonly worstMoment: number;
  readonly worstMomentSet: string;
}

/** Replays every set at every length with the policies. Each result is stored as soon as its session is done. */
export async function hostileReport(options: HostileOptions): Promise<HostileReport> {
  const { lengths, workers, cacheFolder, signal, onSession } = options;
  // A policy may hold functions, which are sent to no thread.
  const policies = options.policies.map(({ name, source }): NamedSource => ({ name, source }));
  const code = cacheFolder === undefined ? '' : await codeDigest();
  const digests = await Promise.all(policies.map(({ source }) => policyDigest(source)));
  const runner = await runnerOf<SetTask, readonly HostileResult[]>(
    workers,
    'runSet',
    async () => (await import('./replay-set.js')).runSet,
  );
  async function* sessions(): AsyncGenerator<Omit<SetTask, 'policies'>> {
    for (const steps of lengths) for (const set of hostileSets) yield { set, steps };
  }
  const replay = async (session: Omit<SetTask, 'policies'>): Promise<readonly HostileResult[]> => {
    const files = digests.map((digest) =>
      storedFile<readonly HostileResult[]>(cacheFolder, ['hostile', code, JSON.stringify(session), digest]),
    );
    const found = await Promise.all(files.map((file) => file.read()));
    const missing = policies.filter((_, index) => found[index] === undefined);
    const made = missing.length === 0 ? [] : await runner.run({ ...session, policies: missing });
    const results = policies.map(({ name }, index) =>
      // Under another name the same policy may have been stored.
      (found[index] ?? made.filter(({ policy }) => policy === name)).map((each) => ({ ...each, policy: name })),
    );
    for (const [index, file] of files.entries()) if (found[index] === undefined) await file.write(results[index] ?? []);
    return results.flat();
  };
  let done = 0;
  const report = (results: readonly HostileResult[]): readonly HostileResult[] => {
    onSession?.(++done, lengths.length * hostileSets.length);
    return results;
  };
  const results: HostileResult[] = [];
  try {
    const concurrency = Math.max(1, workers);
    for await (const each of mapInOrder(sessions(), replay, report, { concurrency, signal })) results.push(...each);
  } finally {
    await runner.close();
  }
  return { rows: hostileRows(results), results };
}

/** Sums the results of each policy at each length and each row of prices, in the order in which they came. */
export function hostileRows(results: readonly HostileResult[]): readonly HostileRow[] {
  const groups = new Map<string, HostileResult[]>();
  for (const result of results) {
    const name = JSON.stringify([result.steps, result.policy, result.prices]);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [result]);
    else group.push(result);
  }
  return [...groups.values()].map((group) => {
    const [first] = group as [HostileResult];
    const worst = group.reduce((least, each) => (each.saved < least.saved ? each : least), first);
    const moment = group.reduce((most, each) => (each.worstMoment > most.worstMoment ? each : most), first);
    return {
      policy: first.policy,
      steps: first.steps,
      prices: first.prices,
      mean: group.reduce((sum, { saved }) => sum + saved, 0) / group.length,
      worst: worst.saved,
      worstSet: worst.set,
      worstMoment: moment.worstMoment,
      worstMomentSet: moment.set,
    };
  });
}
