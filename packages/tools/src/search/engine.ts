import type { Workspace } from '../workspace.js';

/** What is searched for. */
export interface EngineQuery {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** Aborted when the search is over. */
  readonly signal: AbortSignal;
}

/** A running search. */
export interface EngineSearch {
  /**
   * The numbers of the lines that match (the first is 1), for each file that has one. The paths are of regular files, relative to
   * the root of the workspace.
   */
  matchingLines(paths: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>>;
  close(): Promise<void>;
}

/** Finds lines in time that is linear in the size of the files. */
export type Engine = (workspace: Workspace, query: EngineQuery) => Promise<EngineSearch>;

/** Files above this size are not searched. Unit: bytes. */
export const maxSearchedBytes = 10_000_000;

/** So many matching lines are noted of one file. */
export const maxLinesOfFile = 10_000;
