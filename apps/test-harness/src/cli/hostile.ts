import { alignedTable, coloursFor, linePrinter, printableJson } from '@palimpsest/terminal';
import { hostileReport } from '../hostile/report.js';
import type { HostileReport } from '../hostile/report.js';
import { hostileSets } from '../hostile/sets.js';
import { none } from '../replay/named-policy.js';
import { parsePolicies } from '../replay/policy.js';
import type { NamedSource } from '../replay/named-policy.js';
import { defaultCacheFolder, defaultWorkers } from '../replay/replay.js';
import { percent } from './number-text.js';
import type { RunOptions } from './options.js';
import { progress } from './progress.js';

/** Options of `palimpsest-harness hostile`, as the command line gives them. */
export interface HostileCommandOptions extends RunOptions {
  /** Of each session. */
  readonly steps: number;
  readonly json: boolean;
}

const presets: readonly string[] = ['priced:preset=cheapest,balanced,remembersMost'];

/**
 * Replays generated sessions that punish forgetting, and prints what each condenser saves there.
 *
 * @throws {@link CondenserNotFoundError} for a name that is no condenser; lists those that are.
 */
export async function hostileCommand({ steps, json, ...options }: HostileCommandOptions): Promise<void> {
  const { condenser, config } = options;
  const isNamed = condenser.length > 0 || config.length > 0;
  const policies = await parsePolicies({ condenser: isNamed ? condenser : presets, config });
  const report = await replayHostile(policies, [steps], options);
  if (report === undefined) return;
  await linePrinter(process.stdout)(json ? printableJson(report) : hostileText(report));
}

/** Replays the generated sessions with the policies, and shows how many are done. Resolves to undefined if the signal ended it. */
export async function replayHostile(
  policies: readonly NamedSource[],
  lengths: readonly number[],
  { workers = defaultWorkers(), cache = true }: Pick<RunOptions, 'workers' | 'cache'>,
  signal?: AbortSignal,
): Promise<HostileReport | undefined> {
  const shown = progress();
  shown.line('Replaying generated sessions that punish forgetting');
  try {
    const report = await hostileReport({
      policies: policies.filter(({ name }) => name !== none.name),
      lengths,
      workers,
      cacheFolder: cache ? defaultCacheFolder() : undefined,
      ...(signal !== undefined && { signal }),
      onSession: (done, all) => shown.update(`${done} of ${all} generated sessions`),
    });
    if (signal?.aborted !== true) return report;
    shown.line('Interrupted: the tables of the generated sessions are left out');
    return undefined;
  } finally {
    shown.stop();
  }
}

/** Formats the rows as a table for each length and each row of prices. */
export function hostileText({ rows }: HostileReport): string {
  const { bold } = coloursFor(process.stdout);
  const tables = new Map<string, string[][]>();
  for (const { policy, steps, prices, mean, worst, worstSet, worstMoment } of rows) {
    const name = `${steps} steps, ${prices}`;
    const lines = tables.get(name) ?? [[name, 'mean saved', 'worst session', 'which is', 'worst moment']];
    tables.set(name, [...lines, [policy, percent(mean), percent(worst), worstSet, percent(worstMoment)]]);
  }
  return [
    `${hostileSets.length} generated sessions that punish forgetting: an agent needs files in rotation, mostly lately used ones, in phases, at random, or once`,
    [...tables.values()].map((lines) => alignedTable(lines, bold)).join('\n\n'),
    '',
    'Every file that is not whole in view is read again before the step that needs it, and that is paid. A session is named by the number',
    'of its files and their size in tokens; r is the price of a cached token, as a share of that of an uncached one. The worst moment is the most by which all that was paid so far exceeds what doing nothing would have cost.',
  ].join('\n');
}
