import { createHash } from 'node:crypto';
import { appendFile, chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fuzzyFilter } from '@mariozechner/pi-tui';
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from '@mariozechner/pi-tui';
import { secretMask } from '@palimpsest/agent';
import { walk } from '@palimpsest/tools';
import type { Workspace } from '@palimpsest/tools';
import type { SlashCommand } from '../commands/command.js';
import { slashCommands } from '../commands/index.js';
import type { InteractiveSession } from '../session/interactive-session.js';
import type { Choice } from '../output/lines.js';
import { sessionsFolder } from '../settings/user-folders.js';
import { knownSecrets } from '../agent/shell.js';
import { printableLine } from './layout.js';
import type { Screen } from './screen.js';

/** Options of {@link promptCompletion}. */
export interface PromptCompletionOptions {
  readonly commands: readonly SlashCommand[];
  readonly session: InteractiveSession;
  /** The files of the workspace: those that are known after a moment, if that is enough, or else all. */
  readonly files: (isEnough: (names: readonly string[]) => boolean) => Promise<readonly string[]>;
}

const maxFound = 50;

/** Returns a provider that completes `/command` and its argument at the beginning of the input, and `@file` anywhere. */
export function promptCompletion({ commands, session, files }: PromptCompletionOptions): AutocompleteProvider {
  return {
    async getSuggestions(lines, line, column, { signal }): Promise<AutocompleteSuggestions | null> {
      const before = (lines[line] ?? '').slice(0, column);
      const command = line === 0 ? /^\s*\/([a-z-]*)$/.exec(before)?.[1] : undefined;
      if (command !== undefined) return suggestions(`/${command}`, commandItems(commands, command));
      const [, name, argument] = (line === 0 ? /^\s*\/([a-z][a-z-]*)\s+(.*)$/.exec(before) : null) ?? [];
      const complete = commands.find((each) => each.name === name)?.complete;
      if (complete !== undefined && argument !== undefined) {
        const choices = (await complete(argument, session)).filter((choice) => holds(choice, argument));
        return signal.aborted ? null : suggestions(argument, choices.slice(0, maxFound).map(argumentItem));
      }
      const file = /(?:^|\s)@([^\s@]*)$/.exec(before)?.[1];
      if (file === undefined) return null;
      // What is found late is offered late: nothing asks again before the next key.
      const names = await files((known) => signal.aborted || fileItems(known, file).length > 0);
      if (signal.aborted) return null;
      return suggestions(`@${file}`, fileItems(names, file));
    },
    applyCompletion(lines, line, column, item, prefix) {
      const text = lines[line] ?? '';
      const start = text.slice(0, column - prefix.length);
      const rest = text.slice(column);
      const inserted = `${item.value}${rest.startsWith(' ') ? '' : ' '}`;
      const changed = [...lines];
      changed[line] = start + inserted + rest;
      return { lines: changed, cursorLine: line, cursorCol: start.length + inserted.length };
    },
    // Tab alone lists no files: those of a workspace begin with @.
    shouldTriggerFileCompletion: (lines, line, column) => {
      const before = (lines[line] ?? '').slice(0, column);
      return /(?:^|\s)@[^\s@]*$/.test(before) || (line === 0 && /^\s*\/[a-z-]+\s/.test(before));
    },
  };
}

function suggestions(prefix: string, items: AutocompleteItem[]): AutocompleteSuggestions | null {
  return items.length === 0 ? null : { prefix, items };
}

function holds({ label, detail = '', value }: Choice, typed: string): boolean {
  const query = typed.trim().toLowerCase();
  return [value, label, detail].some((text) => text.toLowerCase().includes(query));
}

function argumentItem({ label, detail, value }: Choice): AutocompleteItem {
  const item = { value, label: printableLine(label) };
  return detail === undefined ? item : { ...item, description: printableLine(detail) };
}

function commandItems(commands: readonly SlashCommand[], typed: string): AutocompleteItem[] {
  const named = commands.filter(({ name }) => name.startsWith(typed));
  const found = named.length > 0 ? named : fuzzyFilter([...commands], typed, ({ name }) => name);
  return found.map(({ name, usage, description }) => ({
    value: `/${name}`,
    label: `/${name}${usage === '' ? '' : ` ${usage}`}`,
    description,
  }));
}

/** Files whose names hold what was typed, those that begin with it first; else those that hold its letters in order. */
function fileItems(names: readonly string[], typed: string): AutocompleteItem[] {
  const query = typed.toLowerCase();
  const ranked: [number, string][] = [];
  for (const name of names) {
    const lower = name.toLowerCase();
    const at = lower.indexOf(query);
    if (at === -1) continue;
    const isName = at === lower.lastIndexOf('/') + 1 || at === 0;
    ranked.push([(isName ? 0 : 1_000) + Math.min(999, name.length), name]);
  }
  ranked.sort(([left, a], [right, b]) => left - right || (a < b ? -1 : 1));
  const found = ranked.length > 0 ? ranked.map(([, name]) => name) : fuzzyFilter(names.slice(0, 5_000), query, String);
  return found.slice(0, maxFound).map((name) => ({ value: `@${name}`, label: printableLine(name) }));
}

/** Gives the input line its history and its completion. Returns the function that keeps what was typed. */
export async function promptHelp(screen: Screen): Promise<(prompt: string) => void> {
  const { cwd: folder, env } = screen.session.surroundings;
  const history = promptHistory(folder, env);
  for (const prompt of await history.prompts()) screen.editor.addToHistory(prompt);
  let files: WorkspaceFiles | undefined;
  let root: string | undefined;
  screen.editor.commandNames = slashCommands.map(({ name }) => name);
  screen.editor.setAutocompleteProvider(
    promptCompletion({
      commands: slashCommands,
      session: screen.session,
      files: async (isEnough) => {
        const workspace = screen.session.opened?.workspace;
        if (workspace === undefined) return [];
        if (root !== workspace.root) [files, root] = [new WorkspaceFiles(workspace), workspace.root];
        return files?.names(isEnough) ?? [];
      },
    }),
  );
  return (prompt) => void history.add(prompt);
}

/** More are not offered. */
const maxNames = 50_000;
/** The longest wait of a user for an answer that is enough. Unit: milliseconds. */
const patienceMs = 200;
/** An older list is made anew. Unit: milliseconds. */
const freshMs = 15_000;

/**
 * The names of the files of a workspace, without those that its rules ignore. They are read when they are asked for, beside what is typed;
 * while a large workspace is still being read, what is known so far is given where that is enough.
 */
export class WorkspaceFiles {
  readonly #workspace: Workspace;
  readonly #now: () => number;
  #names: readonly string[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  #found: string[] = [];

  constructor(workspace: Workspace, now: () => number = Date.now) {
    this.#workspace = workspace;
    this.#now = now;
  }

  /**
   * Returns those that are known after a moment, or all.
   *
   * @param isEnough - whether what is known is an answer while the rest is still being read
   */
  async names(isEnough: (names: readonly string[]) => boolean): Promise<readonly string[]> {
    if (this.#reading === undefined && this.#now() - this.#readAt > freshMs) this.#reading = this.#read();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, patienceMs)));
    if (this.#reading !== undefined) await Promise.race([this.#reading, patience]);
    clearTimeout(timer);
    if (!isEnough(this.#known)) await this.#reading;
    return this.#known;
  }

  get #known(): readonly string[] {
    return this.#names.length >= this.#found.length ? this.#names : this.#found;
  }

  async #read(): Promise<void> {
    this.#found = [];
    try {
      for await (const { path, kind } of walk(this.#workspace, this.#workspace.root)) {
        if (path === undefined || kind !== 'file' || /[\s\p{Cc}]/u.test(path)) continue;
        this.#found.push(path);
        if (this.#found.length >= maxNames) break;
      }
      this.#names = this.#found;
    } catch {
      // A folder that has gone has no files to offer.
    } finally {
      this.#readAt = this.#now();
      this.#reading = undefined;
    }
  }
}

/** The prompts that are offered again, and kept when the file is written anew. */
const maxPrompts = 200;
/** A longer file is written anew. Unit: characters. */
const maxFile = 1_000_000;
/** A longer prompt is not kept. Unit: characters. */
const maxPrompt = 20_000;

/** Returns the history of a folder, over all its sessions, in a file that only the user can read, beside the sessions. */
export function promptHistory(folder: string, env: Readonly<Record<string, string | undefined>>) {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 32);
  const file = join(dirname(sessionsFolder(env)), 'prompts', `${name}.jsonl`);
  const masked = secretMask(knownSecrets(env));
  let last: Promise<unknown> = Promise.resolve();
  return {
    /** Returns the prompts, the oldest first. */
    async prompts(): Promise<readonly string[]> {
      return (await readPrompts(file)).slice(-maxPrompts);
    },
    /** Keeps a prompt: with secrets masked, as the log masks them. A file that cannot be written is no reason to stop. */
    async add(prompt: string): Promise<void> {
      if (prompt.length > maxPrompt || prompt.trim() === '') return;
      last = last.then(() => append(file, masked.text(prompt))).catch(() => undefined);
      await last;
    },
  };
}

async function readPrompts(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return typeof value === 'string' ? [value] : [];
    } catch {
      // An end that was torn, or the empty last line.
      return [];
    }
  });
}

async function append(file: string, prompt: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text.length > maxFile) {
    const kept = (await readPrompts(file)).slice(-maxPrompts);
    await writeFile(`${file}.new`, kept.map((each) => `${JSON.stringify(each)}\n`).join(''), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }
  await appendFile(file, `${JSON.stringify(prompt)}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
}
