import { Option } from 'commander';
import type { Command } from 'commander';
import type { ExportFormat } from '../session/export.js';

/** Adds `palimpsest export`. */
export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('Print a session, with all that condensing has hidden from the model.')
    .argument('[id]', 'the session, or the beginning of its id; without it the last one of this folder')
    .addOption(
      new Option('--format <format>', 'jsonl: the events; markdown: to read; messages: as a model reads them, as JSON')
        .choices(['jsonl', 'markdown', 'messages'])
        .default('markdown'),
    )
    .action(async (id: string | undefined, { format }: { readonly format: ExportFormat }) => {
      const { exportCommand } = await import('../session/export.js');
      const { sessionNamed } = await import('../session/session.js');
      const { processContext } = await import('../context.js');
      const surroundings = processContext();
      process.exitCode = await exportCommand(await sessionNamed(id, undefined, surroundings), format, surroundings);
    });
}
