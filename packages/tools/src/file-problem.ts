/** The code of an error of the file system, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** Undefined for what does not exist. Throws every other error. */
export function ifAbsent(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}

/** What is wrong with a path, to follow its name. The system's own message would name the place on this machine. */
export function problemOf(error: unknown): string {
  const code = codeOf(error);
  return (code === undefined ? undefined : problems[code]) ?? `cannot be used (${code ?? 'unknown reason'})`;
}

const problems: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'lies below a file, which is no folder',
  ELOOP: 'is a circle of symbolic links',
  ENAMETOOLONG: 'has a name that is too long for the file system',
  EACCES: 'cannot be used: permission denied',
  EPERM: 'cannot be used: the operation is not permitted',
  EROFS: 'cannot be written: the file system is read-only',
  ENOSPC: 'cannot be written: no space is left',
  EDQUOT: 'cannot be written: the quota is used up',
  EMFILE: 'cannot be opened: too many files are open',
};
