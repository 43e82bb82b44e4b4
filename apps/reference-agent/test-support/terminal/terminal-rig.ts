import { onTestFinished } from 'vitest';
import { headlessRig } from '../headless-rig.js';
import { ScriptedModel } from '../scripted-model.js';
import { openTerminal, palimpsest } from './terminal.js';
import type { Terminal, TerminalOptions } from './terminal.js';

/** A workspace, a scripted model, and the built command in terminals. */
export interface TerminalRig {
  /** With its links resolved. */
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model: ScriptedModel;
  /** Opens the command in a terminal of its own, in the workspace. */
  open(args?: readonly string[], options?: OpenOptions): Terminal;
}

/** The options of opening the command. */
export interface OpenOptions extends Pick<TerminalOptions, 'columns' | 'rows'> {
  /** @defaultValue the workspace */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Starts it by a line of a shell, as `"$@"`. */
  readonly shell?: string;
}

/** The options of a {@link TerminalRig}. */
export interface TerminalRigOptions {
  /** The workspace. @defaultValue empty */
  readonly files?: Readonly<Record<string, string>>;
  /** Besides the model and its address, in TOML. @defaultValue nothing */
  readonly config?: string;
  readonly model?: ScriptedModel;
}

/** Makes a workspace with these files, and a configuration of the user that names the model. */
export async function terminalRig({ files = {}, config = '', model }: TerminalRigOptions = {}): Promise<TerminalRig> {
  const scripted = model ?? (await ScriptedModel.start());
  const { workspace, env, configure } = await headlessRig(files);
  await configure(`model = "anthropic:claude-sonnet-4-6"\nbaseUrl = "${scripted.url}"\n${config}`);
  return {
    workspace,
    env,
    model: scripted,
    open: (args = [], { shell, env: besides = {}, ...size } = {}) => {
      const command = [...palimpsest, ...args] as const;
      const terminal = openTerminal({
        command: shell === undefined ? [...command] : ['/bin/sh', '-c', shell, 'sh', ...command],
        env: { ...env, ...besides },
        cwd: workspace,
        ...size,
      });
      onTestFinished(() => terminal.close());
      return terminal;
    },
  };
}
