import type { Command } from 'commander';

/** Adds `palimpsest approve`. */
export function addApproveCommand(program: Command): void {
  program
    .command('approve')
    .description('Say yes to the calls that a session waits with (--on-ask wait).')
    .argument('[id]', 'the session, or the beginning of its id; without it the last one of this folder that waits')
    .option('--show', 'print the calls, and say nothing')
    .action(async (id: string | undefined, { show = false }: { readonly show?: boolean }) => {
      const { answerCommand } = await import('../cli/answer.js');
      const { processContext } = await import('../context.js');
      const answer = show ? { type: 'none' as const } : { type: 'yes' as const };
      process.exitCode = await answerCommand(id, answer, processContext());
    });
}
