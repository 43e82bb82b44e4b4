import { CommanderError } from 'commander';
import { ownVersion } from './own-package.js';
import { harnessProgram } from './program.js';

/**
 * Runs a command line. Resolves to the exit status: that of the command, and 2 for bad usage and for whatever else the user can do
 * something about, which is printed in one line. Defects throw.
 *
 * @param parameters - without the program
 */
export async function main(parameters: readonly string[]): Promise<number> {
  const program = harnessProgram().version(ownVersion());
  for (const command of [program, ...program.commands]) command.exitOverride();
  try {
    await program.parseAsync(parameters, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { expectedProblem } = await import('./expected-problem.js');
    const problem = expectedProblem(error);
    if (problem === undefined) throw error;
    const { printableText } = await import('@palimpsest/terminal');
    process.stderr.write(`palimpsest-harness: ${printableText(problem)}\n`);
    return 2;
  }
}
