import Table from 'cli-table3';
import type { DemoReport } from '../demo.js';
import { savedShare } from '../run-account.js';
import { shown } from './run-printer.js';

/** The figures of a run, as a table. The offline model's token counts are estimates and are left out. */
export function reportTable(report: DemoReport): string {
  const table = new Table({ colAligns: ['left', 'right'], style: { head: [], border: [] } });
  const percent = `${(savedShare(report) * 100).toFixed(1)} %`;
  table.push(
    ['steps (model calls)', shown(report.steps)],
    ['condensations', shown(report.condensations)],
    ['results masked, events forgotten', `${shown(report.masked)}, ${shown(report.forgotten)}`],
    ['tokens sent, with condensation', shown(report.tokensSent)],
    ['tokens of the same steps without', shown(report.tokensUncondensed)],
    ['saved', percent],
    ['largest request, with and without', `${shown(report.peakSent)}, ${shown(report.peakUncondensed)}`],
    ...(report.model === 'offline' ? [] : [['tokens sent, as the provider counted', shown(report.tokensByProvider)]]),
    ['exit status of the tests', shown(report.testStatus)],
  );
  return `${table.toString()}\nTokens are estimates: four characters a token.\nEvent log: ${report.logFile}`;
}
