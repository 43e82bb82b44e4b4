import { lstat, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { PalimpsestError } from '@palimpsest/events';
import { codeOf, ifAbsent, problemOf } from './problems.js';

/** The folder of a workspace does not exist, or is no folder. */
export class InvalidWorkspaceError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidWorkspaceError';
  }

  readonly path: string;

  constructor(folder: string, reason: string, options?: { readonly cause?: unknown }) {
    super('invalid-workspace', `'${folder}' ${reason}. Name a folder that exists.`, options);
    this.path = folder;
  }
}

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

/** A file or folder was replaced, by a link for instance, while it was being opened. Nothing was read or written. */
export class PathChangedError extends PalimpsestError {
  static override get typeName(): string {
    return 'PathChangedError';
  }

  readonly path: string;

  constructor(shown: string) {
    super(
      'path-changed',
      `'${shown}' was changed by another program at this moment. Nothing was read or written; look at it again.`,
    );
    this.path = shown;
  }
}

/** A path names something that the tools do not open: a folder, a FIFO, a socket, a device, or nothing at all. */
export class UnusableFileError extends PalimpsestError {
  static override get typeName(): string {
    return 'UnusableFileError';
  }

  readonly path: string;

  constructor(shown: string, message: string, options?: { readonly cause?: unknown }) {
    super('unusable-file', message, options);
    this.path = shown;
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
   * @throws {@link UnusableFileError} when it cannot be looked up: it lies below a file, or its links run in a circle.
   */
  resolve(requested: string): Promise<string>;
  /** As {@link Workspace.resolve}, with every link on the way resolved: the place that a read or a write reaches. */
  resolveLinks(requested: string): Promise<string>;
  /** The form in which a path is shown: relative, with forward slashes. */
  show(absolute: string): string;
  /** The text with absolute paths of the workspace made relative, so that a model can use them as they are. */
  neutral(text: string): string;
}

/**
 * Opens a folder that exists as a workspace. The folder may be named by a symbolic link; paths below that link are inside too.
 *
 * @throws {@link InvalidWorkspaceError} when it is no folder.
 */
export async function openWorkspace(folder: string): Promise<Workspace> {
  const root = await realpath(folder).catch((cause: unknown) => {
    throw new InvalidWorkspaceError(folder, codeOf(cause) === 'ENOENT' ? 'does not exist' : problemOf(cause), {
      cause,
    });
  });
  if (!(await stat(root)).isDirectory()) throw new InvalidWorkspaceError(folder, 'is a file');
  const named = path.resolve(folder);
  const show = (absolute: string) => path.relative(root, absolute).split(path.sep).join('/') || '.';
  const places = async (requested: string) => {
    if (requested.includes('\0')) throw new UnusableFileError(requested, 'A path cannot hold a NUL character.');
    const given = path.resolve(root, requested);
    const absolute =
      !isInside(root, given) && isInside(named, given) ? path.join(root, path.relative(named, given)) : given;
    if (!isInside(root, absolute)) throw new OutsideWorkspaceError(requested);
    const real = await withLinksResolved(absolute, requested);
    if (!isInside(root, real)) throw new OutsideWorkspaceError(requested);
    return { absolute, real };
  };
  const prefixes = [...new Set([root, named])].sort((left, right) => right.length - left.length);
  return {
    root,
    show,
    resolve: async (requested) => (await places(requested)).absolute,
    resolveLinks: async (requested) => (await places(requested)).real,
    neutral: (text) => prefixes.reduce(withoutPrefix, text),
  };
}

function withoutPrefix(text: string, prefix: string): string {
  return text.replaceAll(`file://${prefix}/`, '').replaceAll(`${prefix}/`, '').replaceAll(prefix, '.');
}

function isInside(root: string, absolute: string): boolean {
  const relative = path.relative(root, absolute);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

/**
 * Returns the path with its links resolved. Only its existing part can hold links, and it is looked for from the outside in.
 */
async function withLinksResolved(absolute: string, requested: string): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (cause) {
    const unusable = (error: unknown) =>
      new UnusableFileError(requested, `'${requested}' ${problemOf(error)}.`, { cause: error });
    if (codeOf(cause) !== 'ENOENT') throw unusable(cause);
    const { existing, rest } = await existingPart(absolute).catch((error: unknown) => {
      throw unusable(error);
    });
    const real = await realpath(existing).catch((error: unknown) => {
      // A dangling link exists, and a write would follow it.
      throw codeOf(error) === 'ENOENT' ? new DanglingLinkError(requested) : unusable(error);
    });
    return path.join(real, ...rest);
  }
}

async function existingPart(
  absolute: string,
): Promise<{ readonly existing: string; readonly rest: readonly string[] }> {
  let existing = path.parse(absolute).root;
  const rest = path.relative(existing, absolute).split(path.sep);
  for (let next = rest[0]; next !== undefined; next = rest[0]) {
    const place = path.join(existing, next);
    if ((await lstat(place).catch(ifAbsent)) === undefined) break;
    existing = place;
    rest.shift();
  }
  return { existing, rest };
}

/** Returns the absolute path of a folder, without links. @throws {@link UnusableFileError} when there is none. */
export async function folderAt(workspace: Workspace, requested: string): Promise<string> {
  const { real, isFolder } = await fileOrFolderAt(workspace, requested);
  if (real === undefined) throw new UnusableFileError(requested, `There is no folder '${requested}'.`);
  if (!isFolder) throw new UnusableFileError(requested, `'${requested}' is a file. Use read_file.`);
  return real;
}

/** Returns the absolute path of a file or folder, without links; undefined if there is nothing. */
export async function fileOrFolderAt(
  workspace: Workspace,
  requested: string,
): Promise<{ readonly real: string | undefined; readonly isFolder: boolean }> {
  const real = await workspace.resolveLinks(requested);
  const status = await lstat(real).catch(() => undefined);
  return { real: status === undefined ? undefined : real, isFolder: status?.isDirectory() === true };
}
