import { helpCommand } from './help.js';
import { quitCommand } from './quit.js';
import type { ScreenCommand } from './screen-command.js';
import { withdrawCommand } from './withdraw.js';

/** All commands, in the order in which the help lists them. */
export const screenCommands: readonly ScreenCommand[] = [
  helpCommand(() => screenCommands),
  withdrawCommand,
  quitCommand,
];
