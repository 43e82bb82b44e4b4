import { defineTool } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { z } from 'zod';
import type { Workspace } from '../workspace/workspace.js';
import type { CommandProcess } from '../process/processes.js';
import { runCommand } from './run-command.js';
import type { CommandResult, CommandSettings } from './run-command.js';

/** Options of {@link runCommandTool}. */
export interface RunCommandToolOptions extends CommandSettings {
  /**
   * The length of a longer output that the model reads, unless the agent shows less. Unit: characters. @defaultValue
   * 12,000
   */
  readonly maxCharacters?: number;
}

const longestTimeout = 600;

const input = z.object({
  command: z.string().min(1).max(100_000).describe('A shell command, run in the root of the workspace.'),
  timeout_seconds: z.number().positive().max(longestTimeout).default(60).describe('It is ended after so many seconds.'),
});

/** The length of the lines around the output, of what the model may read. Unit: characters. */
const around = 600;

/** Returns the tool `run_command`. */
export function runCommandTool(
  workspace: Workspace,
  { maxCharacters = 12_000, ...settings }: RunCommandToolOptions = {},
): Tool<z.infer<typeof input>> {
  const where =
    settings.sandbox === undefined
      ? ''
      : ` It runs in a sandbox (${settings.sandbox.description}): it can write the workspace and /tmp, and what it leaves running is ended.`;
  return defineTool({
    name: 'run_command',
    description: `Run a shell command in the root of the workspace and read its output and exit status. It has no terminal and no input. Long output is cut in the middle.${where}`,
    input,
    // Its own limit is the sooner one.
    timeoutMs: (longestTimeout + 30) * 1_000,
    execute: async ({ command, timeout_seconds }, { signal, maxOutputCharacters = Infinity }) => {
      const result = await runCommand(workspace, command, {
        ...settings,
        maxCharacters: Math.max(2, Math.min(maxCharacters, maxOutputCharacters - around)),
        timeoutMs: timeout_seconds * 1_000,
        signal,
      });
      const text = workspace.neutral(result.output).trimEnd();
      const ending = `[${[endOf(result, timeout_seconds), ...rest(result)].join('; ')}]`;
      const { exitStatus, timedOut, isCut, characters, kept, leftRunning, endedAfter } = result;
      return {
        content: text === '' ? ending : `${text}\n${ending}`,
        isError: timedOut,
        details: {
          command,
          exitStatus,
          timedOut,
          isCut,
          ...(kept === undefined
            ? {}
            : 'handle' in kept
              ? { outputHandle: kept.handle, outputCharacters: characters }
              : { outputStoreError: kept.problem }),
          ...(leftRunning.length > 0 ? { leftRunning } : {}),
          ...(endedAfter.length > 0 ? { endedAfter } : {}),
        },
      };
    },
  });
}

function endOf({ timedOut, exitStatus, endedBy }: CommandResult, seconds: number): string {
  if (timedOut) return `ended after ${seconds} seconds`;
  return `exit status ${exitStatus ?? `none: ended by ${endedBy ?? 'a signal'}`}`;
}

function rest({ leftRunning, endedAfter }: CommandResult): readonly string[] {
  return [
    ...(leftRunning.length > 0 ? [`processes that it started were left running: ${listed(leftRunning)}`] : []),
    ...(endedAfter.length > 0 ? [`processes that it left in the background were ended: ${listed(endedAfter)}`] : []),
  ];
}

const mostListed = 5;

function listed(processes: readonly CommandProcess[]): string {
  const some = processes.slice(0, mostListed).map(({ pid, name }) => `${name.replace(/[^\w.+: -]/g, '?')} (${pid})`);
  const more = processes.length - some.length;
  return [...some, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
