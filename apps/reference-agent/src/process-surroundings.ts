import type { CommandSurroundings } from './command-surroundings.js';
import { processInterrupts } from './interrupts.js';
import { UsageError } from './usage-error.js';

/**
 * The surroundings of this process. From here on, its signals are {@link Interrupts}.
 *
 * @throws {@link UsageError} when the current folder has been deleted.
 */
export function processSurroundings(): CommandSurroundings {
  const { env, stdin, stdout, stderr } = process;
  return { env, cwd: currentFolder(), stdin, stdout, stderr, interrupts: processInterrupts() };
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new UsageError('The current folder does not exist any more. Go to another one (cd), and try again.', {
      cause,
    });
  }
}
