import { helpCommand } from './help.js';
import { quitCommand } from './quit.js';
import type { CommandWork, ScreenCommand } from './screen-command.js';
import { withdrawCommand } from './withdraw.js';

/** All commands, in the order in which the help lists them. What a command does is loaded when it is called: a screen paints first. */
export const screenCommands: readonly ScreenCommand[] = [
  helpCommand(() => screenCommands),
  loaded(
    {
      name: 'context',
      usage: '',
      description: 'what fills the window of the model, by kind, and the largest parts',
      whileRunning: true,
    },
    async () => (await import('./context.js')).contextCommand,
  ),
  loaded(
    {
      name: 'view',
      usage: '',
      description: 'what the model reads now, message by message, with what is hidden marked in its place',
      whileRunning: true,
    },
    async () => (await import('./view.js')).viewCommand,
  ),
  loaded(
    {
      name: 'condensations',
      usage: '[address|last]',
      description: 'what each condensation has hidden, why, and what it cost and saves',
      whileRunning: true,
    },
    async () => (await import('./condensations.js')).condensationsCommand,
  ),
  loaded(
    {
      name: 'compact',
      usage: '[focus]',
      description: 'condense now; with a focus, a model writes the summary and keeps to it',
      whileRunning: true,
    },
    async () => (await import('./compact.js')).compactCommand,
  ),
  loaded(
    {
      name: 'undo-compact',
      usage: '[address|list]',
      description: 'take the last condensation back, or the one that you choose: the model reads again what it hid',
      whileRunning: false,
    },
    async () => (await import('./undo-compact.js')).undoCompactCommand,
  ),
  loaded(
    {
      name: 'pin',
      usage: '[address|last|list]',
      description: 'keep a message or a result: no condensation forgets or masks it',
      whileRunning: true,
    },
    async () => (await import('./pin.js')).pinCommand,
  ),
  loaded(
    {
      name: 'unpin',
      usage: '[address|last|all]',
      description: 'end a pin',
      whileRunning: true,
    },
    async () => (await import('./pin.js')).unpinCommand,
  ),
  loaded(
    {
      name: 'recall',
      usage: '<words or address>',
      description: 'search what is hidden from the model, and bring it back if you like',
      whileRunning: true,
    },
    async () => (await import('./recall.js')).recallCommand,
  ),
  loaded(
    {
      name: 'rewind',
      usage: '[address]',
      description: 'go back before one of your messages: the files, and the conversation as a fork that ends there',
      whileRunning: false,
    },
    async () => (await import('./rewind.js')).rewindCommand,
  ),
  loaded(
    {
      name: 'cost',
      usage: '',
      description: 'what the session has cost, with and without condensation, by model and purpose',
      whileRunning: true,
    },
    async () => (await import('./cost.js')).costCommand,
  ),
  loaded(
    {
      name: 'model',
      usage: '[provider/name]',
      description: 'the model that does the work, or another one from here on',
      whileRunning: false,
    },
    async () => (await import('./model.js')).modelCommand,
  ),
  loaded(
    {
      name: 'skills',
      usage: '',
      description: 'the skills that were found, those that the model sees, and those that are disabled',
      whileRunning: true,
    },
    async () => (await import('./skills.js')).skillsCommand,
  ),
  loaded(
    {
      name: 'mcp',
      usage: '',
      description: 'the MCP servers, how they are, and their tools',
      whileRunning: true,
    },
    async () => (await import('./mcp.js')).mcpCommand,
  ),
  loaded(
    {
      name: 'permissions',
      usage: '',
      description: 'which calls run, are asked about or are refused, by rules and where each is from',
      whileRunning: true,
    },
    async () => (await import('./permissions.js')).permissionsCommand,
  ),
  loaded(
    {
      name: 'resume',
      usage: '[id|new]',
      description: 'another session of this folder, or a new one',
      whileRunning: false,
    },
    async () => (await import('./resume.js')).resumeCommand,
  ),
  loaded(
    {
      name: 'export',
      usage: '[markdown|jsonl|messages] [file]',
      description: 'write the session to a file, with all that condensing has hidden',
      whileRunning: true,
    },
    async () => (await import('./export.js')).exportScreenCommand,
  ),
  withdrawCommand,
  quitCommand,
];

function loaded(head: Omit<ScreenCommand, keyof CommandWork>, load: () => Promise<CommandWork>): ScreenCommand {
  return {
    ...head,
    complete: async (argument, session) => {
      try {
        return (await (await load()).complete?.(argument, session)) ?? [];
      } catch {
        // Called while a name is typed: the command itself says what is wrong.
        return [];
      }
    },
    run: async (argument, screen) => (await load()).run(argument, screen),
  };
}
