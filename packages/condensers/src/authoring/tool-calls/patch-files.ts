/** The operation on a file. */
export type FileOperation = 'created' | 'modified' | 'deleted' | 'read';

/** One file of a patch and its operation. */
export interface PatchedFile {
  readonly path: string;
  readonly operation: FileOperation;
}

/** The files of a patch in order, from the `*** Begin Patch` format or a unified diff. */
export function filesOfPatch(patch: string): readonly PatchedFile[] {
  const marked = filesOfMarkedPatch(patch);
  return marked.length > 0 ? marked : filesOfUnifiedDiff(patch);
}

function filesOfMarkedPatch(patch: string): readonly PatchedFile[] {
  const files: PatchedFile[] = [];
  for (const [, word, path = ''] of patch.matchAll(
    /^\*\*\* (Add File|Update File|Delete File|Move to): ([^\r\n]+)/gm,
  )) {
    const trimmed = path.trim();
    const last = files.at(-1);
    if (word === 'Move to') {
      if (last !== undefined) files[files.length - 1] = { path: last.path, operation: 'deleted' };
      files.push({ path: trimmed, operation: 'created' });
    } else {
      files.push({
        path: trimmed,
        operation: word === 'Add File' ? 'created' : word === 'Delete File' ? 'deleted' : 'modified',
      });
    }
  }
  return files;
}

function filesOfUnifiedDiff(patch: string): readonly PatchedFile[] {
  const files: PatchedFile[] = [];
  for (const [, before = '', after = ''] of patch.matchAll(/^--- ([^\r\n\t]+)[^\r\n]*\r?\n\+\+\+ ([^\r\n\t]+)/gm)) {
    const from = diffPath(before);
    const to = diffPath(after);
    if (to === undefined && from !== undefined) files.push({ path: from, operation: 'deleted' });
    else if (to !== undefined) {
      files.push({ path: to, operation: from === undefined ? 'created' : 'modified' });
      if (from !== undefined && from !== to) files.push({ path: from, operation: 'deleted' });
    }
  }
  return files;
}

/** The path without the `a/` or `b/` prefix of version control; undefined for `/dev/null`. */
function diffPath(text: string): string | undefined {
  const path = text.trim();
  return path === '/dev/null' ? undefined : path.replace(/^[ab]\//, '');
}
