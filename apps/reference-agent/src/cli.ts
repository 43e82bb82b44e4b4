#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import type { ConfigFlags } from './cli/config.js';
import type { DoctorFlags } from './cli/doctor.js';
import type { ListFlags } from './cli/list.js';
import { addRunOptions } from './cli/run-options.js';
import type { TrustFlags } from './cli/trust.js';
import type { UndoFlags } from './cli/undo.js';
import type { CliContext, RunFlags } from './context.js';
import type { DemoFlags } from './demo/demo.js';
import type { ExportFormat } from './session/export.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};
const program = new Command('palimpsest')
  .description('A coding agent that condenses its history.')
  .version(version)
  .enablePositionalOptions()
  // Every command that is added below copies these settings.
  .configureHelp({ minWidthToWrap: 20 })
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  // Before the work of a command is loaded; the help needs none of it.
  .hook('preAction', async () => {
    const { keepCompiledCode } = await import('./cli/compiled-code.js');
    keepCompiledCode(process.env);
  })
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'palimpsest:')) });

/** A command of the command line. */
interface CliCommand<Flags> {
  readonly name: string;
  readonly description: string;
  /** Its name and its description. @defaultValue the command has none */
  readonly argument?: readonly [string, string];
  /** Each with its description. */
  readonly options?: readonly (readonly [string, string] | Option)[];
  /** Loads the work of the command and does it. Resolves to the exit status, if that is not always 0. */
  readonly run: (flags: Flags, context: CliContext, argument: string | undefined) => Promise<number | void>;
}

const session = ['[id]', 'the session, or the beginning of its id; without it the last one of this folder'] as const;
const waiting = [session[0], `${session[1]} that waits`] as const;

// The program itself: `palimpsest`, `palimpsest -p "…"`.
addRunOptions(program)
  .option('-c, --continue', 'go on with the last session of this folder')
  .addHelpText(
    'after',
    `
Exit status, without a screen:
  0 done, 1 failure, 2 wrong input, 3 stuck, 4 limit, 5 refused by the provider,
  6 a call waits for a yes, 7 the answer stayed incomplete, 8 each write was
  denied, 130 interrupted`,
  )
  // Reported by the action, which knows what was meant.
  .allowExcessArguments()
  .action(async (flags: RunFlags & { readonly continue?: boolean }) => {
    if (program.args.length > 0)
      return program.error(`palimpsest: there is no command '${program.args[0]}'; a task is given with -p "…"`);
    const { processContext } = await import('./context.js');
    const { runCommand } = await import('./cli/run.js');
    process.exitCode = await runCommand(flags, processContext(), () => program.outputHelp({ error: true }));
  });
addRunOptions(
  add<RunFlags>({
    name: 'resume',
    description: 'Go on with a session: where it ended, or with a new task (-p).',
    argument: session,
    run: async (flags, context, id) => (await import('./cli/run.js')).resumeCommand(id, flags, context),
  }),
);
add<ListFlags>({
  name: 'list',
  description: 'List the sessions of this folder, the last used first.',
  options: [
    ['--all', 'the sessions of all folders'],
    ['--json', 'as JSON'],
  ],
  run: async (flags, context) => (await import('./cli/list.js')).listCommand(flags, context),
});
add<{ readonly format: ExportFormat }>({
  name: 'export',
  description: 'Print a session, with all that condensing has hidden from the model.',
  argument: session,
  options: [
    new Option('--format <format>', 'jsonl: the events; markdown: to read; messages: as a model reads them, as JSON')
      .choices(['jsonl', 'markdown', 'messages'])
      .default('markdown'),
  ],
  async run({ format }, context, id) {
    const { exportCommand } = await import('./session/export.js');
    const { sessionNamed } = await import('./session/session.js');
    return exportCommand(await sessionNamed(id, undefined, context), format, context);
  },
});
add<UndoFlags>({
  name: 'undo',
  description: 'Bring back the files that the agent changed since your last message; the session goes on in a fork.',
  argument: session,
  options: [
    ['--to <event>', 'the last event that stays; without it the one before your last message'],
    ['--dry-run', 'print what would be done, and do nothing'],
    ['--force', 'also restore files that were changed outside of the session'],
  ],
  async run(flags, context, id) {
    const { undoCommand } = await import('./cli/undo.js');
    const { sessionNamed } = await import('./session/session.js');
    return undoCommand(await sessionNamed(id, undefined, context), flags, context);
  },
});
add<{ readonly show?: boolean }>({
  name: 'approve',
  description: 'Approve the calls for which a session waits (--on-ask wait).',
  argument: waiting,
  options: [['--show', 'print the calls, and answer none']],
  run: async ({ show = false }, context, id) =>
    (await import('./cli/answer.js')).answerCommand(id, { type: show ? 'none' : 'yes' }, context),
});
add<{ readonly reason?: string }>({
  name: 'deny',
  description: 'Deny the calls for which a session waits (--on-ask wait).',
  argument: waiting,
  options: [['--reason <text>', 'why, and what to do instead: the model reads it']],
  run: async ({ reason }, context, id) =>
    (await import('./cli/answer.js')).answerCommand(id, { type: 'no', reason }, context),
});
add<ConfigFlags>({
  name: 'config',
  description: 'Show each setting, and where it comes from.',
  options: [
    ['--json', 'as JSON'],
    ['--schema', 'print the JSON schema of a configuration file instead'],
    ['--forget <rule>', 'remove a permission rule that an answer of yours made in this folder'],
    ['--cwd <folder>', 'the folder to work in'],
    ['--config <file>', 'a configuration file, instead of the user’s'],
  ],
  run: async (flags, context) => (await import('./cli/config.js')).configCommand(flags, context),
});
add<TrustFlags>({
  name: 'trust',
  description: 'Trust the configuration of a project: its models, addresses, permissions and packages.',
  argument: ['[folder]', 'the project; without it the current folder'],
  options: [
    ['--remove', 'trust the folder no longer'],
    ['--list', 'show the folders that are trusted'],
  ],
  run: async (flags, context, folder) => (await import('./cli/trust.js')).trustCommand(folder, flags, context),
});
add<DoctorFlags>({
  name: 'doctor',
  description:
    'Say what is wrong in an event log that cannot be read, and write a repaired copy. The log stays as it is.',
  argument: ['<file>', 'the log, a .jsonl file'],
  options: [['--output <file>', 'the repaired copy; without it beside the log, as NAME.repaired.jsonl']],
  run: async (flags, context, file = '') => (await import('./cli/doctor.js')).doctorCommand(file, flags, context),
});
add<DemoFlags>({
  name: 'demo',
  description: 'Have an agent work on a small project, and see what condensation does.',
  options: [
    new Option('--log-dir <dir>', 'where the event log goes').default('.palimpsest/logs'),
    [
      '--model <name>',
      'a model as provider/name, with the key in the environment; without it a script plays the model',
    ],
    ['--config <file>', 'a file (TOML or JSON) that describes the condenser'],
    ['--keep', 'keep the copy of the project that the agent worked on'],
    ['--json', 'print JSON Lines, and nothing else: one line for each thing that happens, the report as the last'],
  ],
  run: async (flags, context) => (await import('./demo/demo.js')).demoCommand(flags, context),
}).addHelpText(
  'after',
  '\nThe exit status is 0 when the project’s tests pass after the run, and 1 when they fail or the run failed.',
);

function add<Flags>({ name, description, argument, options = [], run }: CliCommand<Flags>): Command {
  const command = program.command(name).description(description);
  if (argument !== undefined) command.argument(...argument);
  for (const option of options) command.addOption(option instanceof Option ? option : new Option(...option));
  return command.action(async (...given: unknown[]) => {
    const { processContext } = await import('./context.js');
    // Commander gives the argument, if there is one, then the options and the command.
    const [id] = argument === undefined ? [] : (given as (string | undefined)[]);
    const status = await run(command.opts() as Flags, processContext(), id);
    if (status !== undefined) process.exitCode = status;
  });
}

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
