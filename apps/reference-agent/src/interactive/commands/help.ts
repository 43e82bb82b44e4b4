import type { ScreenCommand } from './screen-command.js';

/** `/help` for these commands. */
export function helpCommand(commands: () => readonly ScreenCommand[]): ScreenCommand {
  return {
    name: 'help',
    usage: '',
    description: 'what can be typed',
    whileRunning: true,
    run(_, screen) {
      const rows = commands().map(({ name, usage, description }) => [`/${name} ${usage}`.trimEnd(), description]);
      const width = Math.max(...rows.map(([head = '']) => head.length));
      screen.say(rows.map(([head = '', description = '']) => `${head.padEnd(width)}  ${description}`).join('\n'));
    },
  };
}
