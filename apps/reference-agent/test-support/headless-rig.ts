import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { resumeCommand, runCommand } from '../src/cli/run.js';
import type { CliContext, RunFlags } from '../src/context.js';
import type { StreamEvent } from '../src/output/stream-event.js';
import { temporaryFolder, writeFiles } from './folders.js';

/** The exit status and the output of a command. */
export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of `stream-json`. */
  readonly events: readonly StreamEvent[];
}

/** A workspace and a state folder, and the commands in this process. */
export interface HeadlessRig {
  /** With its links resolved. */
  readonly workspace: string;
  /** The folder of the sessions. */
  readonly sessions: string;
  readonly env: Readonly<Record<string, string>>;
  /** Writes the user's configuration. */
  configure(toml: string): Promise<void>;
  run(flags: Partial<RunFlags> & { readonly continue?: boolean }, how?: How): Promise<Ran>;
  resume(id: string | undefined, flags: Partial<RunFlags>, how?: How): Promise<Ran>;
  /** For a command that is not one of these two. */
  command(call: (surroundings: CliContext) => Promise<number>, how?: How): Promise<Ran>;
}

interface How {
  /** What is written to standard input. @defaultValue nothing */
  readonly stdin?: string;
  readonly signal?: AbortSignal;
  readonly waits?: CliContext['waits'];
  /** Called with everything that is printed to standard output. */
  readonly onOutput?: (text: string) => void;
}

/** Makes a workspace with these files. */
export async function headlessRig(
  files: Readonly<Record<string, string>> = {},
  flags: Partial<RunFlags> = {},
): Promise<HeadlessRig> {
  const root = await temporaryFolder();
  const workspace = join(root, 'work');
  await mkdir(workspace);
  await writeFiles(workspace, files);
  const env = {
    XDG_STATE_HOME: join(root, 'state'),
    XDG_CONFIG_HOME: join(root, 'config'),
    HOME: root,
    PATH: process.env['PATH'] ?? '',
  };
  const all = (own: Partial<RunFlags>): RunFlags => ({ outputFormat: 'stream-json', yolo: true, ...flags, ...own });
  const command = async (call: (surroundings: CliContext) => Promise<number>, how: How = {}): Promise<Ran> => {
    const printed = { stdout: '', stderr: '' };
    const status = await call({
      env,
      cwd: workspace,
      stdin: Readable.from(how.stdin === undefined ? [] : [how.stdin]),
      stdout: {
        write: (text) => {
          printed.stdout += text;
          how.onOutput?.(text);
        },
      },
      stderr: { write: (text) => (printed.stderr += text) },
      waits: { retryMs: 0, ...how.waits },
      interrupts: { signal: how.signal ?? new AbortController().signal, exitStatus: 130 },
    });
    return { status, ...printed, events: eventsIn(printed.stdout) };
  };
  return {
    workspace,
    sessions: join(env.XDG_STATE_HOME, 'palimpsest', 'sessions'),
    env,
    configure: (toml) => writeFiles(env.XDG_CONFIG_HOME, { 'palimpsest/config.toml': toml }),
    run: (own, how) => command((surroundings) => runCommand(all(own), surroundings, () => undefined), how),
    resume: (id, own, how) => command((surroundings) => resumeCommand(id, all(own), surroundings), how),
    command,
  };
}

function eventsIn(stdout: string): readonly StreamEvent[] {
  const lines = stdout.split('\n').filter((line) => line.startsWith('{"'));
  return lines.map((line) => JSON.parse(line) as StreamEvent);
}

/** Returns the events of one type. */
export function eventsOf<Type extends StreamEvent['type']>(
  { events }: Ran,
  type: Type,
): readonly Extract<StreamEvent, { readonly type: Type }>[] {
  return events.filter((event): event is Extract<StreamEvent, { readonly type: Type }> => event.type === type);
}

/**
 * Returns the results in the order of their calls. Calls of one response run together: their results come in the order
 * in which they end.
 */
export function resultsByCall(ran: Ran): ReturnType<typeof eventsOf<'tool-result'>> {
  const results = eventsOf(ran, 'tool-result');
  return eventsOf(ran, 'tool-call').flatMap(({ id }) => results.filter(({ call }) => call === id));
}
