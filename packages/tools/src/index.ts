export type { FileEdit, FileHistory } from './changes/file-history.js';
export { fileEdits, fileHistory, FileHistoryError } from './changes/file-history.js';
export type { UndoStep } from './changes/undo.js';
export { planUndo, UndoConflictError, undoConflictTexts, undoEdits } from './changes/undo.js';
export type { CommandResult, CommandSettings } from './command/run-command.js';
export { runCommand } from './command/run-command.js';
export { runCommandTool } from './command/run-command-tool.js';
export { editFileTool } from './files/edit-file.js';
export { listFilesTool } from './files/list-files.js';
export type { FileChangePreview } from './files/preview.js';
export { previewChange, textAfter } from './files/preview.js';
export { readFileTool } from './files/read-file.js';
export { writeFileTool } from './files/write-file.js';
export { CommandNotStartedError } from './process/supervised-process.js';
export { openSandbox, requireSandbox } from './sandbox/open-sandbox.js';
export type { Sandbox, SandboxCheck } from './sandbox/sandbox.js';
export { SandboxUnavailableError } from './sandbox/sandbox.js';
export { SearchWorkerError } from './search/linear-engine.js';
export { SearchPatternError } from './search/pattern.js';
export { searchTool } from './search/search.js';
export { todoItems, todoTool } from './todo.js';
export type { Toolbox, ToolboxAnswer, ToolboxOptions } from './toolbox.js';
export { toolbox } from './toolbox.js';
export { walk } from './workspace/walk.js';
export { workspaceTools } from './workspace-tools.js';
export type { Workspace } from './workspace/workspace.js';
export {
  DanglingLinkError,
  InvalidWorkspaceError,
  openWorkspace,
  OutsideWorkspaceError,
  PathChangedError,
  UnusableFileError,
} from './workspace/workspace.js';
