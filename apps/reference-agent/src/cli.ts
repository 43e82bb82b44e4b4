#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addApproveCommand } from './commands/approve.js';
import { addConfigCommand } from './commands/config.js';
import { addDemoCommand } from './commands/demo.js';
import { addDenyCommand } from './commands/deny.js';
import { addDoctorCommand } from './commands/doctor.js';
import { addExportCommand } from './commands/export.js';
import { addListCommand } from './commands/list.js';
import { addResumeCommand } from './commands/resume.js';
import { addRun } from './commands/run.js';
import { addUndoCommand } from './commands/undo.js';
import { addTrustCommand } from './commands/trust.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};
const program = new Command('palimpsest')
  .description('A coding agent that condenses its history.')
  .version(version)
  .enablePositionalOptions()
  // What is written here is seen by every command that is added below.
  .configureHelp({ minWidthToWrap: 20 })
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  // Before the work of a command is loaded; the help needs none of it.
  .hook('preAction', async () => {
    const { keepCompiledCode } = await import('./cli/compiled-code.js');
    keepCompiledCode(process.env);
  })
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'palimpsest:')) });
addRun(program);
addResumeCommand(program);
addListCommand(program);
addExportCommand(program);
addUndoCommand(program);
addApproveCommand(program);
addDenyCommand(program);
addConfigCommand(program);
addTrustCommand(program);
addDoctorCommand(program);
addDemoCommand(program);

// Node adds lines of its own to a warning, such as that of a log whose torn end was put aside.
process.removeAllListeners('warning').on('warning', ({ message }: Error) => {
  process.stderr.write(`palimpsest: ${message.replace(/\p{Cc}/gu, ' ')}\n`);
});
try {
  await program.parseAsync();
} catch (error) {
  const { problemOf } = await import('./context.js');
  const problem = problemOf(error);
  if (problem === undefined) throw error;
  process.stderr.write(`palimpsest: ${problem.message}\n`);
  process.exitCode = problem.exitStatus;
}
