import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { LiveCommandOptions } from './live.js';
import type { TasksCommandOptions } from './tasks.js';

const families = ['early-constants', 'rules-once', 'refactoring', 'early-log', 'notes', 'changes-of-mind'];
const arms =
  'none; a preset of the gateway (balanced, cheapest, remembersMost, noCache); truncation:TOKENS; NAME=URL for another proxy; or a TOML file with a table [[arm]] for each';

/** Adds `palimpsest-harness tasks` and `palimpsest-harness live`. */
export function addLiveCommands(program: Command): void {
  program
    .command('tasks')
    .description('write long tasks that need what was seen long ago, as folders in the format of Harbor')
    .argument('<folder>', 'where they are written')
    .addOption(
      several(new Option('--family <name>', 'only this family; may be given more than once').choices(families)),
    )
    .option('--size <number>', 'how many files there are to read (default: 40, for notes 60)', size)
    .option('--seeds <numbers>', 'a task of each family for each seed: 1,2,3', seeds, [1])
    .action(async (folder: string, options: TasksCommandOptions) => {
      const { tasksCommand } = await import('./tasks.js');
      await tasksCommand(folder, options);
    });
  program
    .command('live')
    .description('run an agent on tasks under several arms, paired by task; compare says what came of it')
    .argument('<tasks>', 'a task, or a folder of tasks')
    .requiredOption(
      '--agent <command>',
      'the agent: its command, with {instruction} and, if it wants them, {cwd} and {home}',
    )
    .addOption(several(new Option('--arm <arm>', `${arms}; is given for each`)).makeOptionMandatory())
    .option('--trials <number>', 'trials of each task in each arm', whole, 1)
    .option('--budget <usd>', 'end when all trials have cost this much', positive)
    .option('--timeout <minutes>', 'the longest time for the agent (default: what the task says)', positive)
    .option('--seed <number>', 'the seed of the order', whole, 1)
    .option('-o, --output <folder>', 'the results; those that stand there are not run again', 'live-results')
    .option('--env <name>', 'the variable that holds the base URL, for an agent that the gateway does not know')
    .option('--gateway <command>', 'the gateway', 'palimpsest-gateway')
    .addOption(
      new Option(
        '--scripted <model>',
        'a model with a script, which costs nothing, in the place of a real one',
      ).choices(['needy', 'forgetful', 'sloppy', 'indifferent']),
    )
    .addOption(
      new Option('--rereads <way>', 'how a model with a script reads again')
        .choices(['exact', 'varied'])
        .default('exact'),
    )
    .action(async (tasks: string, options: LiveCommandOptions) => {
      const { liveCommand } = await import('./live.js');
      process.exitCode = await liveCommand(tasks, options);
    });
}

/** Lets an option be given more than once. `choices` checks each. */
function several(option: Option): Option {
  const parse = option.parseArg;
  option.default([], 'all');
  return option.argParser((value: string, earlier: readonly string[]) => {
    parse?.(value, undefined as never);
    return [...earlier, value];
  });
}

function positive(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0 && value < Infinity))
    throw new InvalidArgumentError('A number above 0 is needed.');
  return value;
}

function whole(text: string): number {
  const value = positive(text);
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('A whole number above 0 is needed.');
  return value;
}

function size(text: string): number {
  const value = whole(text);
  if (value < 4) throw new InvalidArgumentError('It must be at least 4.');
  return value;
}

function seeds(text: string): readonly number[] {
  return text.split(',').map(whole);
}
