import type { Command } from 'commander';
import type { DemoFlags } from '../demo/demo.js';

/** Adds `palimpsest demo`. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('Have an agent work on a small project, and see what condensation does.')
    .option('--log-dir <dir>', 'where the event log goes', '.palimpsest/logs')
    .option(
      '--model <name>',
      'a model as provider/name, with the key in the environment; without it a script plays the model',
    )
    .option('--config <file>', 'a file (TOML or JSON) that describes the condenser, of a package too')
    .option('--keep', 'keep the copy of the project that the agent worked on')
    .option(
      '--json',
      'print JSON Lines, and nothing else: one line for each thing that happens, the report as the last',
    )
    .addHelpText(
      'after',
      '\nThe exit status is 0 when the project’s tests pass after the run, and 1 when they fail or the run failed.',
    )
    .action(async (flags: DemoFlags) => {
      const { demoCommand } = await import('../demo/demo.js');
      const { processContext } = await import('../context.js');
      process.exitCode = await demoCommand(flags, processContext());
    });
}
