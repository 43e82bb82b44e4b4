import { helpCommand } from './help.js';
import { quitCommand } from './quit.js';
import type { ScreenCommand } from './screen-command.js';

/** All commands, in the order in which the help lists them. */
export const screenCommands: readonly ScreenCommand[] = [helpCommand(() => screenCommands), quitCommand];
