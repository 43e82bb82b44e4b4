export type { FileEdit, FileHistory, FileHistoryOptions, FileState } from './changes/file-history.js';
export { fileEdits, fileEditType, fileHistory, FileHistoryError } from './changes/file-history.js';
export type { CurrentState, UndoConflict, UndoOptions, UndoStep } from './changes/undo.js';
export { planUndo, UndoConflictError, undoConflictTexts, undoEdits } from './changes/undo.js';
export type { KeptOutput, OutputFolder, OutputMask } from './command/output.js';
export type { CommandResult, CommandSettings, RunCommandOptions } from './command/run-command.js';
export { runCommand } from './command/run-command.js';
export type { RunCommandToolOptions } from './command/run-command-tool.js';
export { runCommandTool } from './command/run-command-tool.js';
export type { FileChangeOptions } from './files/change.js';
export { editFileTool } from './files/edit-file.js';
export { listFilesTool } from './files/list-files.js';
export type { FileChangePreview } from './files/preview.js';
export { previewChange, textAfter } from './files/preview.js';
export { readFileTool } from './files/read-file.js';
export { writeFileTool } from './files/write-file.js';
export type { CommandProcess } from './process/processes.js';
export { CommandNotStartedError } from './process/supervised-process.js';
export { openSandbox, requireSandbox } from './sandbox/open-sandbox.js';
export type { Sandbox, SandboxCheck, SandboxedProgram, SandboxOptions } from './sandbox/sandbox.js';
export { SandboxUnavailableError } from './sandbox/sandbox.js';
export { SearchWorkerError } from './search/linear-engine.js';
export { SearchPatternError } from './search/pattern.js';
export type { SearchOptions } from './search/search.js';
export { searchTool } from './search/search.js';
export type { TodoItem } from './todo.js';
export { todoItems, todoTool } from './todo.js';
export type { Toolbox, ToolboxAnswer, ToolboxCall, ToolboxOptions } from './toolbox.js';
export { toolbox } from './toolbox.js';
export type { WalkEntry, WalkOptions } from './workspace/walk.js';
export { walk } from './workspace/walk.js';
export type { WorkspaceToolOptions } from './workspace-tools.js';
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
