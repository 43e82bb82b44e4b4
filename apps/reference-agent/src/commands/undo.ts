import type { Command } from 'commander';
import type { UndoFlags } from '../cli/undo.js';

/** Adds `palimpsest undo`. */
export function addUndoCommand(program: Command): void {
  program
    .command('undo')
    .description('Bring back the files that the agent changed since your last message; the session goes on in a fork.')
    .argument('[id]', 'the session, or the beginning of its id; without it the last one of this folder')
    .option('--to <event>', 'the last event that stays; without it the one before your last message')
    .option('--dry-run', 'say what would be done')
    .option('--force', 'restore files, too, that were changed by another hand')
    .action(async (id: string | undefined, flags: UndoFlags) => {
      const { undoCommand } = await import('../cli/undo.js');
      const { sessionNamed } = await import('../session/session.js');
      const { processContext } = await import('../context.js');
      const surroundings = processContext();
      process.exitCode = await undoCommand(await sessionNamed(id, undefined, surroundings), flags, surroundings);
    });
}
