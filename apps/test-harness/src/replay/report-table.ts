import Table from 'cli-table3';
import type { ReplayRow } from './replay-report.js';
import { tokenUnit } from './token-counter.js';

const columns = [
  'condenser',
  `tokens sent\n(${tokenUnit})`,
  `peak\n(${tokenUnit})`,
  'saved\nvs none',
  'events\nat end',
  'conden-\nsations',
  'prefix\nrewrites',
  'refused\nlists',
  'our time\n(ms/call)',
];

/** The rows as a table of text, one line for each condenser, below a title. */
export function reportTable(rows: readonly ReplayRow[], options: { readonly colour: boolean }): string {
  const table = new Table({
    head: columns,
    colAligns: ['left', ...Array<'right'>(columns.length - 1).fill('right')],
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
    style: options.colour ? { head: ['bold'], border: ['grey'] } : { head: [], border: [] },
  });
  for (const row of rows) {
    table.push([
      row.condenser,
      number(row.tokensSent),
      number(row.peakTokens),
      `${(row.savedShare * 100).toFixed(1)} %`,
      number(row.eventsInViewAtEnd),
      number(row.condensations),
      number(row.prefixRewrites),
      number(row.refusedLists),
      row.millisecondsPerCall.toFixed(2),
    ]);
  }
  const [first] = rows;
  return `${count(first?.sessions ?? 0, 'session')}, ${count(first?.modelCalls ?? 0, 'model call')}\n${table.toString()}`;
}

function number(value: number): string {
  return value.toLocaleString('en-GB');
}

function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}
