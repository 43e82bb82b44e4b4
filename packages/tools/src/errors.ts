import { PalimpsestError } from '@palimpsest/events';

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
