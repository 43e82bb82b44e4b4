import { slashCommands } from '../commands/index.js';
import { promptCompletion } from './completion.js';
import { promptHistory } from './prompt-history.js';
import type { Screen } from './screen.js';
import { WorkspaceFiles } from './workspace-files.js';

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
