import { spawn } from 'node:child_process';
import { defineTool } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { z } from 'zod';
import type { Workspace } from './workspace.js';
import { LimitedOutput } from './output-limit.js';

const input = z.object({
  command: z.string().min(1).describe('A shell command, run in the root of the workspace.'),
  timeout_seconds: z.number().positive().max(600).default(60).describe('It is ended after so many seconds.'),
});

/** How a command ended. */
export interface CommandResult {
  /** Standard output and standard error in the order of arrival, cut in the middle if they are too long. */
  readonly output: string;
  /** Undefined when a signal ended it. */
  readonly exitStatus: number | undefined;
  readonly timedOut: boolean;
  readonly isCut: boolean;
  /** Processes of the command still held its output open when its shell ended. What they write later is not read. */
  readonly leftRunning: boolean;
}

/** How long output is read after the shell's exit. Unit: milliseconds. Background processes may never close the pipe. */
const graceMs = 250;

/** The environment variables that a command gets. Keys are not among them: what a tool prints goes into the log. */
const passedOn = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'SHELL', 'USER'];

/**
 * Runs a shell command in the workspace and waits for its shell, not for processes that the shell leaves in the
 * background. When the time is over or the signal is aborted, the shell and its process group are ended; a process that
 * moved to another group or session goes on. A command can reach what its user can: this is no sandbox.
 */
export function runCommand(
  workspace: Workspace,
  command: string,
  options: { readonly timeoutMs: number; readonly maxCharacters?: number; readonly signal?: AbortSignal },
): Promise<CommandResult> {
  const { timeoutMs, maxCharacters = 12_000, signal } = options;
  const output = new LimitedOutput(maxCharacters);
  const env = Object.fromEntries(passedOn.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])));
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    // One pipe for both streams, so that their lines come in the order in which they were written.
    const child = spawn('/bin/sh', ['-c', 'exec 2>&1; eval "$1"', 'sh', command], {
      cwd: workspace.root,
      env: { ...env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'ignore'],
      // A process group, so that the shell's children are ended with the shell.
      detached: true,
    });
    let timedOut = false;
    const end = () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The process ended by itself at the same moment.
      }
    };
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, timeoutMs);
    signal?.addEventListener('abort', end, { once: true });
    let grace: NodeJS.Timeout | undefined;
    const settle = () => {
      clearTimeout(timer);
      clearTimeout(grace);
      signal?.removeEventListener('abort', end);
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => output.add(text));
    child.on('error', (error) => {
      settle();
      reject(error);
    });
    let exitStatus: number | undefined;
    const finish = () => {
      settle();
      const leftRunning = !child.stdout.readableEnded;
      child.stdout.destroy();
      if (signal?.aborted === true) reject(signal.reason as Error);
      else resolve({ output: output.toString(), exitStatus, timedOut, isCut: output.isCut, leftRunning });
    };
    child.on('exit', (status) => {
      exitStatus = status ?? undefined;
      clearTimeout(timer);
      // The immediate lets a busy process read the rest of the pipe.
      grace = setTimeout(() => setImmediate(finish), graceMs);
    });
    child.on('close', finish);
  });
}

/** The tool `run_command`. */
export function runCommandTool(workspace: Workspace): Tool<z.infer<typeof input>> {
  return defineTool({
    name: 'run_command',
    description:
      'Run a shell command in the root of the workspace and read its output and exit status. Long output is cut in the middle.',
    input,
    execute: async ({ command, timeout_seconds }, { signal }) => {
      const result = await runCommand(workspace, command, {
        timeoutMs: timeout_seconds * 1_000,
        signal,
      });
      const end = result.timedOut
        ? `ended after ${timeout_seconds} seconds`
        : `exit status ${result.exitStatus ?? 'none: ended by a signal'}`;
      const ending = result.leftRunning ? `[${end}; processes that it started were left running]` : `[${end}]`;
      const text = workspace.neutral(result.output).trimEnd();
      return {
        content: text === '' ? ending : `${text}\n${ending}`,
        isError: result.timedOut,
        details: {
          command,
          exitStatus: result.exitStatus,
          timedOut: result.timedOut,
          isCut: result.isCut,
          ...(result.leftRunning ? { leftRunning: true } : {}),
        },
      };
    },
  });
}
