import { Command } from 'commander';
import { addConformCommand } from './commands/conform.js';
import { addInspectCommand } from './commands/inspect.js';
import { addReplayCommand } from './commands/replay.js';
import { addReportCommand } from './commands/report.js';
import { addScenarioCommand } from './commands/scenario.js';

/**
 * The command line of the harness. Each command has a file in `commands/` that holds its name and options. Its action imports
 * the work, so `--help` loads no library but the parser.
 */
export function harnessProgram(): Command {
  const program = new Command('palimpsest-harness').description(
    'Replays recorded agent sessions through condensers, and shows what each would have sent.',
  );
  addReplayCommand(program);
  addInspectCommand(program);
  addConformCommand(program);
  addReportCommand(program);
  addScenarioCommand(program);
  return program;
}
