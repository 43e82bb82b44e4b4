import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** Folders of generated or installed files. */
const skipped = new Set(['.git', 'node_modules', 'dist', 'coverage']);

/** A file or folder below a folder. */
export interface WalkEntry {
  readonly absolute: string;
  readonly isFolder: boolean;
  /** 1 for entries of the folder itself. */
  readonly depth: number;
}

/** The entries below a folder, in the order of their names; links are not followed. */
export async function* walk(folder: string, maxDepth = Infinity, depth = 1): AsyncGenerator<WalkEntry> {
  if (depth > maxDepth) return;
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const entry of entries) {
    const absolute = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (skipped.has(entry.name)) continue;
      yield { absolute, isFolder: true, depth };
      yield* walk(absolute, maxDepth, depth + 1);
    } else if (entry.isFile()) {
      yield { absolute, isFolder: false, depth };
    }
  }
}
