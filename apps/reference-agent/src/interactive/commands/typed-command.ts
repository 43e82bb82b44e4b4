import { sliceText } from '@palimpsest/events';
import { problemText } from '../../context.js';
import type { CommandScreen } from '../command-screen.js';
import { screenCommands } from './index.js';
import type { ScreenCommand } from './screen-command.js';

/** A line that begins with a slash, and so is no message: the command, or undefined if there is none of this name. */
export interface TypedCommand {
  readonly name: string;
  readonly argument: string;
  readonly command: ScreenCommand | undefined;
}

/** Reads a line as a command; undefined if it is a message. A path, such as `/etc/hosts is odd`, is a message; a slash alone is none. */
export function typedCommand(line: string): TypedCommand | undefined {
  const read = /^\/(?:([a-z][a-z-]*)(?:\s+([\s\S]*))?)?$/.exec(line.trim());
  if (read === null) return undefined;
  const [, name = '', argument = ''] = read;
  return { name, argument: argument.trim(), command: screenCommands.find((each) => each.name === name) };
}

function noCommand(name: string): string {
  const begun = screenCommands
    .filter((each) => name !== '' && each.name.startsWith(name))
    .map((each) => `/${each.name}`);
  const hint = begun.length === 0 ? '/help lists those that there are.' : `With it begin: ${begun.join(', ')}.`;
  return `There is no command /${name}. ${hint}`;
}

/** The words of an error may repeat an argument that was pasted. Unit: characters. */
const longestProblem = 4_000;

/** Runs a command, and tells what keeps it from running. Never rejects: the session goes on. */
export async function runTypedCommand({ name, argument, command }: TypedCommand, screen: CommandScreen): Promise<void> {
  // A skill is shown by its name in a message.
  if (command === undefined && screen.session.opened?.skills.some((skill) => skill.name === name) === true) {
    return screen.session.send(`/${name} ${argument}`.trim());
  }
  if (command === undefined) return screen.say(noCommand(name));
  const { type } = screen.session.state;
  if (!command.whileRunning && (type === 'working' || type === 'waiting')) {
    return screen.say(`/${name} has to wait until the agent is done. Esc or Ctrl-C interrupts it.`);
  }
  try {
    await command.run(argument, screen);
  } catch (error) {
    screen.say(sliceText(problemText(error), 0, longestProblem));
  }
}
