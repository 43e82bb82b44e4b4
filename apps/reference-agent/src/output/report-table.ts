import { usualPrices } from '@palimpsest/view';
import Table from 'cli-table3';
import type { DemoReport } from '../demo.js';
import { savedShares } from '../run-account.js';
import { shown } from './run-printer.js';

/** The figures of a run, as a table. The offline model's token counts are estimates and are left out. */
export function reportTable(report: DemoReport): string {
  const table = new Table({ colAligns: ['left', 'right'], style: { head: [], border: [] } });
  const saved = savedShares(report);
  table.push(
    ['steps (model calls)', shown(report.steps)],
    ['condensations', shown(report.condensations)],
    ...(report.masked === 0 ? [] : [['results masked', shown(report.masked)]]),
    ...(report.forgotten === 0 ? [] : [['events replaced by a summary', shown(report.forgotten)]]),
    ['tokens sent, with condensation', shown(report.tokensSent)],
    ['tokens of the same steps without', shown(report.tokensUncondensed)],
    ['tokens saved', percent(saved.tokens)],
    ['saved of the bill, with a prompt cache', percent(saved.bill)],
    ['largest request, with and without', `${shown(report.peakSent)}, ${shown(report.peakUncondensed)}`],
    ...(report.model === 'offline' ? [] : [['tokens sent, as the provider counted', shown(report.tokensByProvider)]]),
    ['exit status of the tests', shown(report.testStatus)],
  );
  return [
    table.toString(),
    'Tokens are estimates: four characters a token. In the bill a token of the request before costs',
    `${usualPrices.read} of an uncached one, and a new one ${usualPrices.write}: a rewritten history is written anew.`,
    `Event log: ${report.logFile}`,
  ].join('\n');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
