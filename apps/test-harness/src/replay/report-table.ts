import Table from 'cli-table3';
import type { ReplayRow } from './replay-report.js';
import { tokenUnit } from './token-counter.js';

/** The rows as a table of text, one line for each condenser. */
export function reportTable(rows: readonly ReplayRow[], options: { readonly colour: boolean }): string {
  const table = new Table({
    head: [
      'condenser',
      'sessions',
      'calls',
      `sent\n(${tokenUnit})`,
      `peak\n(${tokenUnit})`,
      'saved\nvs none',
      'events in\nview at end',
      'conden-\nsations',
      'prefix\nrewrites',
      'refused\nlists',
      'our time\n(ms/call)',
    ],
    colAligns: ['left', ...Array<'right'>(10).fill('right')],
    style: options.colour ? { head: ['bold'], border: ['grey'] } : { head: [], border: [] },
  });
  for (const row of rows) {
    table.push([
      row.condenser,
      count(row.sessions),
      count(row.modelCalls),
      count(row.tokensSent),
      count(row.peakTokens),
      `${(row.savedShare * 100).toFixed(1)} %`,
      count(row.eventsInViewAtEnd),
      count(row.condensations),
      count(row.prefixRewrites),
      count(row.refusedLists),
      row.millisecondsPerCall.toFixed(2),
    ]);
  }
  return table.toString();
}

function count(value: number): string {
  return value.toLocaleString('en-GB');
}
