import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { PalimpsestError } from '@palimpsest/events';

/** A path leads out of the workspace. */
export class OutsideWorkspaceError extends PalimpsestError {
  static override get typeName(): string {
    return 'OutsideWorkspaceError';
  }

  readonly path: string;

  constructor(requested: string) {
    super('outside-workspace', `'${requested}' is outside the workspace. Use a path inside it, relative to its root.`);
    this.path = requested;
  }
}

/** A path leads through a symbolic link whose target does not exist, so the place of a write would be unknown. */
export class DanglingLinkError extends PalimpsestError {
  static override get typeName(): string {
    return 'DanglingLinkError';
  }

  readonly path: string;

  constructor(requested: string) {
    super('dangling-link', `'${requested}' leads through a symbolic link whose target does not exist.`);
    this.path = requested;
  }
}

/** The folder in which an agent works. Tools name files relative to it, and no path reaches a file outside of it. */
export interface Workspace {
  /** The folder, absolute and with its links resolved. */
  readonly root: string;
  /**
   * The absolute path of a file or folder, which need not exist.
   *
   * @throws {@link OutsideWorkspaceError} when it leads out, also by a symbolic link.
   * @throws {@link DanglingLinkError} when it leads through a link whose target does not exist.
   */
  resolve(requested: string): Promise<string>;
  /** How a path is shown: relative, with forward slashes. */
  show(absolute: string): string;
  /** The text with absolute paths of the workspace made relative, so that a model can use them as they are. */
  neutral(text: string): string;
}

/** Opens a folder that exists as a workspace. */
export async function openWorkspace(folder: string): Promise<Workspace> {
  const root = await realpath(folder);
  const show = (absolute: string) => path.relative(root, absolute).split(path.sep).join('/') || '.';
  return {
    root,
    show,
    async resolve(requested) {
      const absolute = path.resolve(root, requested);
      if (!isInside(root, absolute)) throw new OutsideWorkspaceError(requested);
      if (!isInside(root, await withLinksResolved(absolute, requested))) throw new OutsideWorkspaceError(requested);
      return absolute;
    },
    neutral: (text) =>
      [`file://${root}/`, `${root}/`]
        .reduce((result, place) => result.replaceAll(place, ''), text)
        .replaceAll(root, '.'),
  };
}

function isInside(root: string, absolute: string): boolean {
  const relative = path.relative(root, absolute);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

/** The path with its links resolved. Only its existing part can hold links. */
async function withLinksResolved(absolute: string, requested: string): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (error) {
    const parent = path.dirname(absolute);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === absolute) throw error;
    // A dangling link exists, and a write would follow it.
    if (await isLink(absolute)) throw new DanglingLinkError(requested);
    return path.join(await withLinksResolved(parent, requested), path.basename(absolute));
  }
}

async function isLink(absolute: string): Promise<boolean> {
  return lstat(absolute).then(
    (status) => status.isSymbolicLink(),
    () => false,
  );
}
