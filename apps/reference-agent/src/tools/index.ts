import { finishTool } from '@palimpsest/agent';
import type { Tool } from '@palimpsest/events';
import type { Workspace } from '../workspace.js';
import { editFileTool } from './edit-file.js';
import { listFilesTool } from './list-files.js';
import { readFileTool } from './read-file.js';
import { runCommandTool } from './run-command.js';
import { searchTool } from './search.js';
import { writeFileTool } from './write-file.js';

/** The tools of the reference agent, for one workspace. */
export function workspaceTools(workspace: Workspace): readonly Tool[] {
  return [
    listFilesTool(workspace),
    readFileTool(workspace),
    searchTool(workspace),
    editFileTool(workspace),
    writeFileTool(workspace),
    runCommandTool(workspace),
    finishTool(),
  ];
}
