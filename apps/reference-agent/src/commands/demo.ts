import type { Command } from 'commander';
import type { DemoFlags } from '../demo-command.js';

/** Adds `palimpsest demo`. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('Have an agent work on a small project, and see what condensation does.')
    .option('--log-dir <dir>', 'where the event log goes', '.palimpsest/logs')
    .option('--model <name>', "a provider's model (needs OPENAI_API_KEY or ANTHROPIC_API_KEY); offline without it")
    .option('--config <file>', 'a file (TOML or JSON) that describes the condenser, of a package too')
    .option('--keep', 'keep the copy of the project that the agent worked on')
    .option('--json', 'print the report as JSON, and nothing else')
    .addHelpText(
      'after',
      '\nThe exit status is that of the project’s tests after the run; 2 when the run itself failed; 130 when it was interrupted.',
    )
    .action(async (flags: DemoFlags) => {
      const { demoCommand } = await import('../demo-command.js');
      const interrupt = new AbortController();
      process.once('SIGINT', () => interrupt.abort());
      const { env, stdout, stderr } = process;
      process.exitCode = await demoCommand(flags, { env, stdout, stderr, signal: interrupt.signal });
    });
}
