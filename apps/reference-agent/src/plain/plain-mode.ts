import { createInterface } from 'node:readline/promises';
import { exitStatus } from '../exit-status.js';
import { runTypedCommand, typedCommand } from '../interactive/commands/typed-command.js';
import type { CommandScreen } from '../interactive/command-screen.js';
import type { InteractiveSession } from '../interactive/interactive-session.js';
import { shownLines } from '@palimpsest/terminal';

/** Talks with the user line by line, without moving the cursor. Resolves to the exit status when the session is closed. */
export async function openPlainMode(session: InteractiveSession): Promise<number> {
  const { stdin, stdout } = session.surroundings;
  const say = (text: string): void => void stdout.write(`${shownLines(text)}\n`);
  const lines = createInterface({ input: stdin, terminal: false });
  const screen: CommandScreen = {
    session,
    say,
    show: async ({ title, lines: shown }) => say([title, ...shown.map(({ text }) => text)].join('\n')),
    choose: async () => undefined,
    ask: async () => undefined,
    edit: (text) => say(text),
  };
  const closed = new Promise<void>((resolve) => {
    session.observe((event) => {
      if (event.type === 'notice') say(event.text);
      if (event.type === 'logged')
        for (const told of event.told) if (told.type === 'message' && told.from === 'model') say(told.text);
      if (event.type === 'state' && event.state.type === 'closed') resolve();
    });
  });
  lines.on('line', (line) => {
    const command = typedCommand(line);
    if (command === undefined) session.send(line);
    else void runTypedCommand(command, screen);
  });
  lines.on('close', () => void session.close());
  await session.start();
  await closed;
  lines.close();
  return exitStatus.done;
}
