import type { Command } from 'commander';
import type { ReportCommandOptions } from '../page/report-command.js';
import { collect } from './argument-parsers.js';
import { addSharedOptions } from './shared-options.js';

/** Adds `palimpsest-harness report`. */
export function addReportCommand(program: Command): void {
  const command = program
    .command('report')
    .description('write a web page that shows what your sessions cost, and what each condenser saves and forgets')
    .argument(
      '[path...]',
      'session logs, or folders of them (default: the newest 50 sessions of this machine’s agents)',
    )
    .option('-o, --output <file>', 'the page (default: palimpsest-report.html; with --all a folder, palimpsest-report)')
    .option(
      '-c, --condenser <name>',
      'a condenser, or a package that is installed here, with options as for replay; may be given more than once (default: a choice of ours)',
      collect,
      [],
    )
    .option('--model <name>', 'price the sessions as this model’s (default: the model that most of them name)')
    .option('--all', 'every session, each with its timeline, as a folder of pages', false)
    .option(
      '--redact',
      'leave out the text and the names of the sessions: only sizes, kinds and names of tools',
      false,
    );
  addSharedOptions(command).action(async (paths: readonly string[], options: ReportCommandOptions) => {
    const { reportCommand } = await import('../page/report-command.js');
    process.exitCode = await reportCommand(paths, options);
  });
}
