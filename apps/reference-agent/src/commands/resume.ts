import type { Command } from 'commander';
import type { RunFlags } from '../context.js';
import { addRunOptions } from './run-options.js';

/** Adds `palimpsest resume`. */
export function addResumeCommand(program: Command): void {
  addRunOptions(program.command('resume'))
    .description('Go on with a session: where it ended, or with a new task (-p).')
    .argument('[id]', 'the session, or the beginning of its id; without it the last one of this folder')
    .action(async (id: string | undefined, flags: RunFlags) => {
      const { resumeCommand } = await import('../cli/run.js');
      const { processContext } = await import('../context.js');
      process.exitCode = await resumeCommand(id, flags, processContext());
    });
}
