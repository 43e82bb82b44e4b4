import type { Tool } from '@palimpsest/events';
import { editFileTool } from './files/edit-file.js';
import type { FileChangeOptions } from './files/change.js';
import { listFilesTool } from './files/list-files.js';
import { readFileTool } from './files/read-file.js';
import { runCommandTool } from './command/run-command-tool.js';
import type { RunCommandToolOptions } from './command/run-command-tool.js';
import { searchTool } from './search/search.js';
import type { SearchOptions } from './search/search.js';
import type { Workspace } from './workspace/workspace.js';
import { writeFileTool } from './files/write-file.js';

/** Options of {@link workspaceTools}. */
export interface WorkspaceToolOptions extends FileChangeOptions {
  readonly search?: SearchOptions;
  readonly command?: RunCommandToolOptions;
}

/** Returns the tools for one workspace: list, read, search, edit, write, run. */
export function workspaceTools(workspace: Workspace, options: WorkspaceToolOptions = {}): readonly Tool[] {
  return [
    listFilesTool(workspace),
    readFileTool(workspace),
    searchTool(workspace, options.search),
    editFileTool(workspace, options),
    writeFileTool(workspace, options),
    runCommandTool(workspace, options.command),
  ];
}
