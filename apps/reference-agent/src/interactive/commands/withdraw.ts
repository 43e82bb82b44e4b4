import type { ScreenCommand } from './screen-command.js';

/** `/withdraw`. */
export const withdrawCommand: ScreenCommand = {
  name: 'withdraw',
  usage: '',
  description: 'take back the newest message that was not sent yet',
  whileRunning: true,
  run(_, screen) {
    const text = screen.session.withdraw();
    if (text === undefined) screen.say('No message waits to be sent.');
    else screen.edit(text);
  },
};
