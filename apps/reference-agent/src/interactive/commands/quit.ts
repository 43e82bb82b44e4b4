import type { ScreenCommand } from './screen-command.js';

/** `/quit`. */
export const quitCommand: ScreenCommand = {
  name: 'quit',
  usage: '',
  description: 'leave; the session is kept',
  whileRunning: true,
  run: (_, { session }) => session.close(),
};
