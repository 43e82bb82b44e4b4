export type { OutputMask } from './command/command-output.js';
export type { KeptOutput, OutputFolder } from './command/kept-output.js';
export type { CommandResult, CommandSettings, RunCommandOptions } from './command/run-command.js';
export { runCommand } from './command/run-command.js';
export type { RunCommandToolOptions } from './command/run-command-tool.js';
export { runCommandTool } from './command/run-command-tool.js';
export { editFileTool } from './edit-file.js';
export {
  DanglingLinkError,
  InvalidWorkspaceError,
  OutsideWorkspaceError,
  PathChangedError,
  UnusableFileError,
} from './errors.js';
export type { FileChangeOptions } from './file-change.js';
export type { FileChangePreview } from './change-preview.js';
export { changedText, previewChange } from './change-preview.js';
export type { FileEdit, FileState } from './file-edit.js';
export { fileEdits, fileEditType } from './file-edit.js';
export type { FileHistory, FileHistoryOptions } from './file-history.js';
export { fileHistory, FileHistoryError } from './file-history.js';
export { listFilesTool } from './list-files.js';
export { readFileTool } from './read-file.js';
export { SearchWorkerError } from './search/linear-engine.js';
export { SearchPatternError } from './search/pattern.js';
export type { CommandProcess } from './process/processes.js';
export { CommandNotStartedError } from './process/supervised-process.js';
export type { SearchOptions } from './search/search.js';
export { searchTool } from './search/search.js';
export type { TodoItem } from './todo.js';
export { todoItems, todoTool } from './todo.js';
export type { Toolbox, ToolboxAnswer, ToolboxCall, ToolboxOptions } from './toolbox.js';
export { toolbox } from './toolbox.js';
export type { UndoOptions } from './undo.js';
export { planUndo, undoEdits } from './undo.js';
export type { CurrentState, UndoConflict, UndoStep } from './undo-plan.js';
export { UndoConflictError, undoConflictTexts, undoSteps } from './undo-plan.js';
export type { WorkspaceToolOptions } from './workspace-tools.js';
export { workspaceTools } from './workspace-tools.js';
export type { WalkEntry, WalkOptions } from './walk.js';
export { walk } from './walk.js';
export type { Workspace } from './workspace.js';
export { openWorkspace } from './workspace.js';
export { writeFileTool } from './write-file.js';
export { openSandbox, requireSandbox } from './sandbox/open-sandbox.js';
export type { Sandbox, SandboxCheck, SandboxedProgram, SandboxOptions } from './sandbox/sandbox.js';
export { SandboxUnavailableError } from './sandbox/sandbox.js';
