import { existsSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ownVersion } from '../own-package.js';
import { rivalList } from '../rivals/rival.js';
import type { CompareCommandOptions } from './live/compare.js';
import type { ConformCommandOptions } from './conform.js';
import type { HostileCommandOptions } from './hostile.js';
import type { InspectCommandOptions } from './inspect.js';
import type { PageCommandOptions } from './page.js';
import type { ReplayCommandOptions } from './replay.js';
import type { ReportCommandOptions } from './report.js';
import type { ScenarioCommandOptions } from './scenario.js';
import { addLiveCommands } from './live/live-commands.js';

/**
 * Runs a command line. Resolves to the exit status: that of the command, and 2 for bad usage and for whatever else the user can do
 * something about, which is printed in one line. Defects throw.
 *
 * @param parameters - without the program
 */
export async function main(parameters: readonly string[]): Promise<number> {
  const program = harnessProgram().version(ownVersion());
  for (const command of [program, ...program.commands]) command.exitOverride();
  const names = ['help', ...program.commands.map((command) => command.name())];
  const [first = ''] = parameters;
  // Without a command it is a path of report; a word that is neither is a slip of the pen.
  if (/^[a-z]+$/.test(first) && !names.includes(first) && !existsSync(first)) {
    const { nearName } = await import('@palimpsest/events');
    const near = nearName(first, names);
    const meant = near === undefined ? '' : ` Did you mean '${near}'?`;
    process.stderr.write(
      `palimpsest-harness: '${first}' is no command and no file.${meant} Commands: ${names.join(', ')}\n`,
    );
    return 2;
  }
  try {
    await program.parseAsync(parameters, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { PalimpsestError } = await import('@palimpsest/events');
    if (!PalimpsestError.isInstance(error)) throw error;
    const { printableText } = await import('@palimpsest/terminal');
    process.stderr.write(`palimpsest-harness: ${printableText(error.message)}\n`);
    return 2;
  }
}

/**
 * Makes the command line of the harness. The action of each command imports the file with its work, so `--help` loads no library but the
 * parser.
 */
function harnessProgram(): Command {
  const program = new Command('palimpsest-harness').description(
    'Replays recorded agent sessions through condensers, and shows what each saves and forgets. Without a command: report.',
  );
  addReportCommand(program);
  addReplayCommand(program);
  addHostileCommand(program);
  addInspectCommand(program);
  addConformCommand(program);
  addPageCommand(program);
  addScenarioCommand(program);
  addLiveCommands(program);
  addCompareCommand(program);
  return program;
}

/** Adds `palimpsest-harness replay`. */
function addReplayCommand(program: Command): void {
  const command = program
    .command('replay')
    .description('print tables of what each condenser saves and forgets in recorded sessions')
    .argument(
      '[path...]',
      'session logs, or folders of them (default: the newest 50 sessions of this machine’s agents, or a sample)',
    )
    .addOption(
      listOption(
        '-c, --condenser <name>',
        'a condenser, or a package that is installed here; with options, and several values of one, as in extractiveSummary:maxTokens=20000,40000; a policy of another project (rival:…), or all of them (rivals); may be given more than once',
        'all of ours',
      ),
    )
    .option('--model <name>', 'also show what the sessions cost with this model, in USD at the prices of today')
    .option(
      '--summariser <provider/name>',
      'really ask this model for summaries, as openai/… or anthropic/…; its key is read from the environment (default: no model; summaries are filler text)',
    )
    .option('--sessions', 'show a table for each session too')
    .option(
      '--all',
      'show every table, then those of generated sessions in which forgetting costs most (takes minutes)',
    )
    .option('--json', 'print the whole report as JSON instead of the table');
  command.addHelpText('after', rivalList());
  addSharedOptions(command).action(async (paths: readonly string[], options: ReplayCommandOptions) => {
    const { replayCommand } = await import('./replay.js');
    process.exitCode = await replayCommand(paths, options);
  });
}

/** Adds `palimpsest-harness report`. */
function addReportCommand(program: Command): void {
  const command = program
    .command('report', { isDefault: true })
    .description('show what your sessions cost, and what each condenser saves and forgets, as a web page and a table')
    .argument(
      '[path...]',
      'session logs, or folders of them (default: the newest 50 sessions of this machine’s agents, or a sample)',
    )
    .option('-o, --output <file>', 'the page (default: palimpsest-report.html; with --all a folder, palimpsest-report)')
    .addOption(
      listOption(
        '-c, --condenser <name>',
        'a condenser, or a package that is installed here, with options as for replay; may be given more than once',
        'a choice of ours',
      ),
    )
    .option('--model <name>', 'price all sessions as this model’s (default: each as its own model’s)')
    .option('--all', 'every session, each with its timeline, as a folder of pages')
    .option('--redact', 'leave out the text and the names of the sessions: only sizes, kinds and names of tools')
    .option('--no-open', 'do not open the page, also where there is a display');
  addSharedOptions(command).action(async (paths: readonly string[], options: ReportCommandOptions) => {
    const { reportCommand } = await import('./report.js');
    process.exitCode = await reportCommand(paths, options);
  });
}

/** Adds `palimpsest-harness page`. */
function addPageCommand(program: Command): void {
  program
    .command('page')
    .description('write a web page that replays the logs that are dropped on it, in the browser and without a network')
    .option('-o, --output <file>', 'the page', 'palimpsest-replay.html')
    .action(async (options: PageCommandOptions) => {
      const { pageCommand } = await import('./page.js');
      await pageCommand(options);
    });
}

/** Adds `palimpsest-harness hostile`. */
function addHostileCommand(program: Command): void {
  const command = program
    .command('hostile')
    .description(
      'replay generated sessions in which forgetting costs most: what was forgotten is read again, and that is paid',
    )
    .addOption(
      listOption(
        '-c, --condenser <name>',
        'a condenser, or a package that is installed here, with options as for replay; may be given more than once',
        'the presets of priced',
      ),
    )
    .option('--steps <number>', 'the length of each session', positiveInteger, 200)
    .option('--json', 'print the results of every session as JSON');
  addRunOptions(command).action(async (options: HostileCommandOptions) => {
    const { hostileCommand } = await import('./hostile.js');
    await hostileCommand(options);
  });
}

/** Adds `palimpsest-harness inspect`. */
function addInspectCommand(program: Command): void {
  program
    .command('inspect')
    .description('show what a model was sent at a call of a session, and what each condensation did')
    .argument('<log>', 'a session log; recognised by its content')
    .option('--call <number>', 'the model call, from 1 (default: the last)', positiveInteger)
    .option(
      '-c, --condenser <name>',
      'replay this condenser, built-in or of a package (default: the condensations that the log holds)',
    )
    .option('--config <file>', 'replay the condenser that a file (TOML or JSON) describes')
    .option(
      '-w, --context-window <tokens>',
      'the size of the model’s context window, for the condenser (default: none)',
      positiveInteger,
    )
    .option('--session <name>', 'which session of the log, by name or number, if it holds several')
    .option('--largest <number>', 'how many of the largest items are listed', positiveInteger, 10)
    .option('--json', 'print everything as JSON, with the whole text of every item')
    .action(async (log: string, options: InspectCommandOptions) => {
      const { inspectCommand } = await import('./inspect.js');
      await inspectCommand(log, options);
    });
}

/** Adds `palimpsest-harness conform`. */
function addConformCommand(program: Command): void {
  program
    .command('conform')
    .description('run the contract of condensers against a package, and say which rules it keeps')
    .argument('<package>', 'the name of a package that is installed here, or the path of its folder: ./my-condenser')
    .option('--options <json>', 'the options of the condenser, as JSON (default: its defaults)')
    .option('--export <name>', 'test only this export (default: every condenser that the package exports)')
    .addOption(
      listOption('--property <name>', 'test this export as a view property; may be given more than once', 'none'),
    )
    .addOption(
      listOption('--log <path>', 'a session log that the condenser must act on; may be given more than once', 'none'),
    )
    .option('--seeds <numbers>', 'the seeds of the generated logs, such as 1,2,3', positiveIntegers)
    .option('--rule <number>', 'run only this rule', positiveInteger)
    .option(
      '-w, --context-window <tokens>',
      'the size of the model’s context window, for the condenser (default: none)',
      positiveInteger,
    )
    .option('--timeout <seconds>', 'a rule that takes longer counts as broken', positiveInteger, 60)
    .option('--json', 'print the results as JSON')
    .action(async (name: string, options: ConformCommandOptions) => {
      const { conformCommand } = await import('./conform.js');
      process.exitCode = await conformCommand(name, options);
    });
}

/** Adds `palimpsest-harness scenario`. */
function addScenarioCommand(program: Command): void {
  program
    .command('scenario')
    .description('run scripted conversations of an agent with a condenser, and check their expectations')
    .argument('<file...>', 'scenarios in YAML')
    .option('--json', 'print results, events and requests as JSON')
    .action(async (files: readonly string[], options: ScenarioCommandOptions) => {
      const { scenarioCommand } = await import('./scenario.js');
      process.exitCode = await scenarioCommand(files, options);
    });
}

/** Adds `palimpsest-harness compare`. */
function addCompareCommand(program: Command): void {
  program
    .command('compare')
    .description('compare the arms of live runs by task: what is lost first, then solved tasks, cost, steps and time')
    .argument(
      '<source...>',
      'results of live runs in JSON Lines, or folders of Harbor’s jobs; ARM=PATH names the arm of all trials there',
    )
    .option('--beside <arm>', 'the arm that the others are compared with (default: none, or else the first)')
    .option('--json', 'print the comparison as JSON')
    .option('--html <file>', 'also write the comparison as a web page')
    .action(async (sources: readonly string[], options: CompareCommandOptions) => {
      const { compareCommand } = await import('./live/compare.js');
      await compareCommand(sources, options);
    });
}

/** Adds the options by which `replay` and `report` choose what they replay, and how. */
function addSharedOptions(command: Command): Command {
  return addRunOptions(command).option(
    '-w, --context-window <tokens>',
    'the size of the model’s context window, for condensers (default: none)',
    positiveInteger,
  );
}

/** Adds the options of every command that replays. */
function addRunOptions(command: Command): Command {
  return command
    .addOption(
      listOption(
        '--config <file>',
        'a file (TOML or JSON) that describes a condenser; may be given more than once',
        'none',
      ),
    )
    .option(
      '--workers <number>',
      'how many threads replay; 0: none but the main one (default: as many as run at the same time)',
      wholeNumber,
    )
    .option('--no-cache', 'store no results, and use none that were stored');
}

/** Returns an option that may be given more than once. @param otherwise - what holds without it, in words */
function listOption(flags: string, description: string, otherwise: string): Option {
  const option = new Option(flags, description).default([], otherwise);
  return option.argParser((value: string, earlier: readonly string[]) => [...earlier, value]);
}

/** @throws {@link InvalidArgumentError} for anything but a whole number above 0 */
function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value <= 0) throw new InvalidArgumentError('A whole number above 0 is needed.');
  return value;
}

/** @throws {@link InvalidArgumentError} for anything but a whole number from 0 on */
function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0 || text.trim() === '')
    throw new InvalidArgumentError('A whole number is needed.');
  return value;
}

/** Parser of whole numbers above 0 with commas between them. @throws {@link InvalidArgumentError} */
function positiveIntegers(text: string): readonly number[] {
  return text.split(',').map(positiveInteger);
}
