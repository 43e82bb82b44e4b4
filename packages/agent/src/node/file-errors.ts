/** Whether an error is one of the file system with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Resolves to undefined if the file is missing, may not be read, lies too deep to be named, or is a link that leads nowhere or to itself. */
export async function ifThere<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    return undefinedIfNotThere(error);
  }
}

/** As {@link ifThere}, for what is read at once. */
export function ifThereSync<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch (error) {
    return undefinedIfNotThere(error);
  }
}

function undefinedIfNotThere(error: unknown): undefined {
  if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG')) return undefined;
  throw error;
}
