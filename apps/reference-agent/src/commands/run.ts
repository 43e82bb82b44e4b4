import type { Command } from 'commander';
import type { RunFlags } from '../context.js';
import { addRunOptions } from './run-options.js';

/** Makes `palimpsest -p "…"` of the program itself. */
export function addRun(program: Command): void {
  addRunOptions(program)
    .option('-c, --continue', 'go on with the last session of this folder')
    .addHelpText('after', `\n${exitStatusInWords}`)
    // Said by the action, which knows what was meant.
    .allowExcessArguments()
    .action(async (flags: RunFlags & { readonly continue?: boolean }) => {
      if (program.args.length > 0)
        return program.error(`palimpsest: there is no command '${program.args[0]}'; a task is given with -p "…"`);
      const { runCommand } = await import('../cli/run.js');
      const { processContext } = await import('../context.js');
      process.exitCode = await runCommand(flags, processContext(), () => program.outputHelp({ error: true }));
    });
}

/** The exit statuses of docs/headless.md, for `--help`. */
const exitStatusInWords = `Exit status, without a screen:
  0 done, 1 failure, 2 wrong input, 3 stuck, 4 limit, 5 refused by the provider,
  6 a call waits for a yes, 7 the answer stayed incomplete, 8 each write was
  denied, 130 interrupted`;
