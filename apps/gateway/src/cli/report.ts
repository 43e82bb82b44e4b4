import type { Command } from 'commander';
import { coloursFor, printableJson, terminalWidth } from '@palimpsest/terminal';
import { GatewayError } from '../gateway-error.js';
import { readReport } from '../report/read-report.js';
import { reportTable } from '../report/report-table.js';
import { writeReportPage } from '../report/write-page.js';
import { conversationId } from './pause.js';
import { withData } from './setting.js';
import type { DataFlags } from './setting.js';

interface Flags extends DataFlags {
  readonly json?: true;
  readonly html?: string;
}

/** Adds the command that shows what conversations have cost, and what they would have cost without the gateway. */
export function addReport(program: Command): void {
  withData(program.command('report'))
    .description('shows what conversations have cost, and what they would have cost without the gateway')
    .argument('[id]', 'one conversation alone')
    .option('--json', 'prints all figures as JSON')
    .option('--html <file>', 'writes a page with a chart of each conversation and its condensations')
    .action(async (id: string | undefined, { data, json, html }: Flags) => {
      const report = await readReport(data, id === undefined ? undefined : conversationId(id));
      if (id !== undefined && report.conversations.length === 0)
        throw new GatewayError(
          'unknown-conversation',
          `No receipts of '${id}' are kept: \`report\` alone lists what is.`,
        );
      if (html !== undefined) process.stdout.write(`${await writeReportPage(data, report, html)}\n`);
      if (json === true) process.stdout.write(`${printableJson(report)}\n`);
      if (json === undefined && html === undefined)
        process.stdout.write(
          `${reportTable(report, terminalWidth(process.stdout, 120), coloursFor(process.stdout))}\n`,
        );
    });
}
