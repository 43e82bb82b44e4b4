import type { Trial } from './trial.js';

/** A row of the table of a host. */
export interface Row {
  readonly scenario: string;
  readonly trial: Trial;
  readonly problems: readonly string[];
}

const columns = [
  'scenario',
  'steps',
  'requests',
  'largest',
  'sent',
  'read',
  'written',
  'condensed',
  'bill',
  'dollars',
  'receipts',
  'looked again',
  'problems',
];

/** Returns the rows as a table of Markdown. Counts are thousands of tokens. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ scenario, trial, problems }) => {
    const { exchanges, looks } = trial;
    const sum = (of: (exchange: Trial['exchanges'][number]) => number) =>
      exchanges.reduce((all, each) => all + of(each), 0);
    return [
      scenario,
      `${trial.stepsDone}/${trial.steps}`,
      String(exchanges.length),
      thousands(Math.max(0, ...looks.map(({ size }) => size))),
      thousands(sum(({ read, written, uncached }) => read + written + uncached)),
      thousands(sum(({ read }) => read)),
      thousands(sum(({ written }) => written)),
      String(looks.filter(({ isCondensation }) => isCondensation).length),
      thousands(trial.bill),
      trial.usd.toFixed(3),
      trial.receipts === undefined ? '' : `${trial.receipts.actual.toFixed(3)} (${trial.receipts.control.toFixed(3)})`,
      trial.looksAgain === 0 ? '' : `${trial.looksAgain} (${trial.lost} lost)`,
      problems.length === 0 ? 'none' : problems.join('; '),
    ];
  });
  return [columns, columns.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function thousands(count: number): string {
  return `${Math.round(count / 1_000).toLocaleString('en')}k`;
}
