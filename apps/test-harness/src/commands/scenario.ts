import type { Command } from 'commander';
import type { ScenarioCommandOptions } from '../scenario-command.js';

/** Adds `palimpsest-harness scenario`. */
export function addScenarioCommand(program: Command): void {
  program
    .command('scenario')
    .description('run scripted conversations of an agent with a condenser, and check what is expected of them')
    .argument('<file...>', 'scenarios in YAML')
    .option('--json', 'print results, events and requests as JSON', false)
    .action(async (files: readonly string[], options: ScenarioCommandOptions) => {
      const { scenarioCommand } = await import('../scenario-command.js');
      process.exitCode = await scenarioCommand(files, options);
    });
}
