import type { CommandSurroundings } from './command-surroundings.js';
import { processInterrupts } from './interrupts.js';

/** The surroundings of this process. From here on, its signals are {@link Interrupts}. */
export function processSurroundings(): CommandSurroundings {
  const { env, stdin, stdout, stderr } = process;
  return { env, cwd: process.cwd(), stdin, stdout, stderr, interrupts: processInterrupts() };
}
