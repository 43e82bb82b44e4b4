import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { armHelp, familyNames, scriptedModels } from '../../live/choices.js';
import type { AgreementCommandOptions } from './agreement.js';
import type { LiveCommandOptions } from './live.js';
import type { TasksCommandOptions } from './tasks.js';

/** Adds the commands that ask a real model: `palimpsest-harness tasks`, `live`, `agreement`. */
export function addLiveCommands(program: Command): void {
  program
    .command('tasks')
    .description('write long tasks that need what was seen long ago, as folders in the format of Harbor')
    .argument('<folder>', 'where they are written')
    .addOption(
      several(
        new Option('--family <name>', 'only this family; may be given more than once').choices(familyNames),
        'all',
      ),
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
    .addOption(several(new Option('--arm <arm>', `${armHelp}; is given for each`), 'none'))
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
      ).choices(scriptedModels),
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
  program
    .command('agreement')
    .description(
      'ask a model for its next action at points of recorded sessions, condensed and not, and compare it with the record',
    )
    .argument('<path...>', 'session logs, or folders of them')
    .requiredOption('--model <name>', 'the model: provider/name, or the name that the server of --base-url has')
    .option('--base-url <address>', 'a server that speaks OpenAI’s Chat Completions')
    .addOption(
      several(
        new Option('-c, --condenser <name>', 'a condenser, as for replay; may be given more than once'),
        'priced, and truncation',
      ),
    )
    .addOption(several(new Option('--config <file>', 'a file (TOML or JSON) that describes a condenser'), 'none'))
    .option('--points <number>', 'points in each session', whole, 10)
    .option('--seed <number>', 'the seed of the points', whole, 1)
    .option('--budget <usd>', 'end when the calls have cost this much', positive)
    .option('--json', 'print all points as JSON')
    .action(async (paths: readonly string[], options: AgreementCommandOptions) => {
      const { agreementCommand } = await import('./agreement.js');
      process.exitCode = await agreementCommand(paths, options);
    });
}

/** Lets an option be given more than once. `choices` checks each. @param otherwise - what holds without it, in words */
function several(option: Option, otherwise: string): Option {
  const parse = option.parseArg;
  option.default([], otherwise);
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
