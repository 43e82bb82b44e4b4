import type { Command } from 'commander';

/** Adds `palimpsest deny`. */
export function addDenyCommand(program: Command): void {
  program
    .command('deny')
    .description('Say no to the calls that a session waits with (--on-ask wait).')
    .argument('[id]', 'the session, or the beginning of its id; without it the last one of this folder that waits')
    .option('--reason <text>', 'why, and what to do instead: the model reads it')
    .action(async (id: string | undefined, { reason }: { readonly reason?: string }) => {
      const { answerCommand } = await import('../cli/answer.js');
      const { processContext } = await import('../context.js');
      process.exitCode = await answerCommand(id, { type: 'no', reason }, processContext());
    });
}
