import type { Command } from 'commander';
import { collect, positiveInteger, wholeNumber } from './argument-parsers.js';

/** Adds the options by which `replay` and `report` choose what they replay, and how. */
export function addSharedOptions(command: Command): Command {
  return command
    .option(
      '--config <file>',
      'a file (TOML or JSON) that describes one more condenser, of a package too; may be given more than once',
      collect,
      [],
    )
    .option('-w, --context-window <tokens>', 'the window that condensers are told of', positiveInteger)
    .option(
      '--workers <number>',
      'how many threads replay; 0: none but the main one (default: as many as run at the same time)',
      wholeNumber,
    )
    .option('--no-cache', 'store no results, and use none that were stored');
}
