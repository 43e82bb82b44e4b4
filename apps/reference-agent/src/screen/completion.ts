import { fuzzyFilter } from '@mariozechner/pi-tui';
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from '@mariozechner/pi-tui';
import type { SlashCommand } from '../commands/command.js';
import { slashCommands } from '../commands/index.js';
import type { InteractiveSession } from '../interactive/interactive-session.js';
import type { Choice } from '../output/lines.js';
import { printableLine } from './layout.js';
import { promptHistory } from './prompt-history.js';
import type { Screen } from './screen.js';
import { WorkspaceFiles } from './workspace-files.js';

/** Options of {@link promptCompletion}. */
export interface PromptCompletionOptions {
  readonly commands: readonly SlashCommand[];
  readonly session: InteractiveSession;
  /** The files of the workspace: those that are known after a moment, if that is enough, or else all. */
  readonly files: (isEnough: (names: readonly string[]) => boolean) => Promise<readonly string[]>;
}

const maxFound = 50;

/** Completes `/command` and its argument at the beginning of the input, and `@file` anywhere. */
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

/** What helps with typing, loaded after the first frame. */
export interface PromptHelp {
  /** Keeps what was typed. */
  readonly remember: (prompt: string) => void;
}

/** Gives the input line its history and its completion. */
export async function promptHelp(
  screen: Screen,
  { folder, env }: { readonly folder: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<PromptHelp> {
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
  return { remember: (prompt) => void history.add(prompt) };
}
