import { sliceText } from '@palimpsest/events';
import { problemText } from '../context.js';
import type { CommandBody, CommandSurface, SlashCommand } from './command.js';

/** All commands, in the order in which the help lists them. What a command does is loaded when it is called: a screen paints first. */
export const slashCommands: readonly SlashCommand[] = [
  {
    name: 'help',
    usage: '',
    description: 'what can be typed',
    whileRunning: true,
    run: (_, surface) => surface.say(helpText()),
  },
  anytime(
    'context',
    '',
    'what fills the window of the model, by kind, and the largest parts',
    async () => (await import('./look.js')).contextCommand,
  ),
  anytime(
    'view',
    '',
    'what the model reads now, message by message, with what is hidden marked in its place',
    async () => (await import('./look.js')).viewCommand,
  ),
  anytime(
    'condensations',
    '[address|last]',
    'what each condensation has hidden, why, and what it cost and saves',
    async () => (await import('./condensing.js')).condensationsCommand,
  ),
  anytime(
    'compact',
    '[focus]',
    'condense now; with a focus, a model writes the summary and keeps to it',
    async () => (await import('./condensing.js')).compactCommand,
  ),
  atRest(
    'undo-compact',
    '[address|list]',
    'take the last condensation back, or the one that you choose: the model reads again what it hid',
    async () => (await import('./condensing.js')).undoCompactCommand,
  ),
  anytime(
    'pin',
    '[address|last|list]',
    'keep a message or a result: no condensation forgets or masks it',
    async () => (await import('./hidden.js')).pinCommand,
  ),
  anytime('unpin', '[address|last|all]', 'remove a pin', async () => (await import('./hidden.js')).unpinCommand),
  anytime(
    'recall',
    '<words or address>',
    'search what is hidden from the model, and bring it back if you like',
    async () => (await import('./hidden.js')).recallCommand,
  ),
  atRest(
    'rewind',
    '[address]',
    'go back before one of your messages: the files, and the conversation as a fork that ends there',
    async () => (await import('./sessions.js')).rewindCommand,
  ),
  anytime(
    'cost',
    '',
    'what the session has cost, with and without condensation, by model and purpose',
    async () => (await import('./look.js')).costCommand,
  ),
  atRest(
    'model',
    '[provider/name]',
    'the model that does the work, or another one from here on',
    async () => (await import('./state.js')).modelCommand,
  ),
  anytime(
    'skills',
    '',
    'the skills that were found, those that the model sees, and those that are disabled',
    async () => (await import('./state.js')).skillsCommand,
  ),
  anytime(
    'mcp',
    '',
    'the MCP servers, how they are, and their tools',
    async () => (await import('./state.js')).mcpCommand,
  ),
  anytime(
    'permissions',
    '',
    'which calls run, are asked about or are refused, by rules and where each is from',
    async () => (await import('./state.js')).permissionsCommand,
  ),
  atRest(
    'resume',
    '[id|new]',
    'another session of this folder, or a new one',
    async () => (await import('./sessions.js')).resumeCommand,
  ),
  anytime(
    'export',
    '[markdown|jsonl|messages] [file]',
    'write the session to a file, with all that condensing has hidden',
    async () => (await import('./sessions.js')).exportCommand,
  ),
  {
    name: 'withdraw',
    usage: '',
    description: 'take back the newest message that was not sent yet',
    whileRunning: true,
    run(_, surface) {
      const text = surface.session.withdraw();
      if (text === undefined) surface.say('No message waits to be sent.');
      else surface.edit(text);
    },
  },
  {
    name: 'quit',
    alias: 'exit',
    usage: '',
    description: 'leave; the session is kept',
    whileRunning: true,
    run: (_, { session }) => session.close(),
  },
];

/** A command that may be called while the agent works. */
function anytime(name: string, usage: string, description: string, load: () => Promise<CommandBody>): SlashCommand {
  return {
    name,
    usage,
    description,
    whileRunning: true,
    complete: async (argument, session) => {
      try {
        return (await (await load()).complete?.(argument, session)) ?? [];
      } catch {
        // Called while a name is typed: the command itself says what is wrong.
        return [];
      }
    },
    run: async (argument, surface) => (await load()).run(argument, surface),
  };
}

/** A command that waits until the agent is done. */
function atRest(...row: Parameters<typeof anytime>): SlashCommand {
  return { ...anytime(...row), whileRunning: false };
}

function helpText(): string {
  const rows = slashCommands.map(
    ({ name, usage, description }) => [`/${name} ${usage}`.trimEnd(), description] as const,
  );
  const width = Math.max(...rows.map(([head]) => head.length));
  return rows.map(([head, description]) => `${head.padEnd(width)}  ${description}`).join('\n');
}

/** A line that begins with a slash, and so is no message. */
export interface TypedCommand {
  readonly name: string;
  readonly argument: string;
  /** Undefined: there is none of this name. */
  readonly command: SlashCommand | undefined;
}

/**
 * Reads a line as a command. Undefined if the line is a message. A path, such as `/etc/hosts is odd`, is a message. A
 * slash alone is a command.
 */
export function typedCommand(line: string): TypedCommand | undefined {
  const read = /^\/(?:([a-z][a-z-]*)(?:\s+([\s\S]*))?)?$/.exec(line.trim());
  if (read === null) return undefined;
  const [, name = '', argument = ''] = read;
  return {
    name,
    argument: argument.trim(),
    command: slashCommands.find((each) => each.name === name || each.alias === name),
  };
}

function noCommand(name: string): string {
  const begun = slashCommands
    .filter((each) => name !== '' && each.name.startsWith(name))
    .map((each) => `/${each.name}`);
  const hint = begun.length === 0 ? '/help lists those that there are.' : `With it begin: ${begun.join(', ')}.`;
  return `There is no command /${name}. ${hint}`;
}

/** The words of an error may repeat an argument that was pasted. Unit: characters. */
const longestProblem = 4_000;

/** Runs a command, and says what keeps it from running. Never rejects: the session goes on. */
export async function runTypedCommand(
  { name, argument, command }: TypedCommand,
  surface: CommandSurface,
): Promise<void> {
  // A skill is shown by its name in a message.
  if (command === undefined && surface.session.opened?.skills.some((skill) => skill.name === name) === true) {
    return surface.session.send(`/${name} ${argument}`.trim());
  }
  if (command === undefined) return surface.say(noCommand(name));
  const { type } = surface.session.state;
  if (!command.whileRunning && (type === 'working' || type === 'waiting')) {
    return surface.say(`/${name} has to wait until the agent is done. Esc or Ctrl-C interrupts it.`);
  }
  try {
    await command.run(argument, surface);
  } catch (error) {
    surface.say(sliceText(problemText(error), 0, longestProblem));
  }
}
