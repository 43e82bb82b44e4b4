import { coloursFor, linePrinter, printableJson } from '@palimpsest/terminal';
import { hostilePrices, hostileRows, replaySets } from '../hostile/replay-sets.js';
import type { HostileResult, HostileRow } from '../hostile/replay-sets.js';
import { hostileSets } from '../hostile/sets.js';
import { none } from '../replay/named-policy.js';
import { parsePolicies } from '../replay/policy.js';
import { progress } from './progress.js';
import { alignedTable, percent } from './tables.js';

/** Options of `palimpsest-harness hostile`, as the command line gives them. */
export interface HostileCommandOptions {
  /** Names, packages, options and sweeps. */
  readonly condenser: readonly string[];
  /** Files that describe a condenser each. */
  readonly config: readonly string[];
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
export async function hostileCommand({ condenser, config, steps, json }: HostileCommandOptions): Promise<void> {
  const isNamed = condenser.length > 0 || config.length > 0;
  const policies = await parsePolicies({ condenser: isNamed ? condenser : presets, config });
  const compared = policies.filter(({ name }) => name !== none.name);
  const shown = progress();
  const results: HostileResult[] = [];
  const all = hostileSets.length * hostilePrices.length * compared.length;
  try {
    for await (const result of replaySets(compared, hostileSets, steps)) {
      results.push(result);
      shown.update(`${results.length} of ${all}: ${result.set}`);
    }
  } finally {
    shown.stop();
  }
  const rows = hostileRows(results);
  await linePrinter(process.stdout)(json ? printableJson({ steps, rows, results }) : hostileText(rows, steps));
}

/** Formats the rows as a table for each row of prices. */
function hostileText(rows: readonly HostileRow[], steps: number): string {
  const { bold } = coloursFor(process.stdout);
  const tables = hostilePrices.map(({ name }) => {
    const lines = rows
      .filter(({ prices }) => prices === name)
      .map((row) => [
        row.policy,
        percent(row.mean),
        percent(row.worst),
        percent(row.worstMoment),
        row.worstSet,
        row.worstMomentSet,
      ]);
    return alignedTable(
      [[name, 'mean saved', 'worst', 'worst moment', 'worst set', 'set of that moment'], ...lines],
      bold,
    );
  });
  return [
    `${hostileSets.length} generated sessions of ${steps} steps: files in rotation, by locality, in phases, at random, once`,
    '',
    tables.join('\n\n'),
    '',
    'Every file that is not whole in view is read again before the step that needs it, and that is paid. The worst moment is the most by',
    'which all that was paid so far exceeds what doing nothing would have cost.',
  ].join('\n');
}
