/** The facts that decide whether a page can be opened. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** True if a person reads the output. */
  readonly isTerminal: boolean;
}

/**
 * Returns true where a person would see an opened page: at a terminal of this machine, with a display. In CI, in a pipe and over SSH it is
 * false; so it is on Linux without a display, but for the one that X or Wayland forwards over SSH.
 */
export function hasDisplay({ platform, environment, isTerminal }: Surroundings): boolean {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  if (!isTerminal || (isSet('CI') && environment['CI'] !== 'false')) return false;
  const isOwnDisplay = platform === 'darwin' || platform === 'win32' || isSet('WSL_DISTRO_NAME');
  if (isOwnDisplay) return !isSet('SSH_CONNECTION') && !isSet('SSH_TTY');
  return isSet('DISPLAY') || isSet('WAYLAND_DISPLAY');
}

/** Opens a file as the user's desktop does. Resolves to false if that cannot be started. */
export async function openFile(file: string): Promise<boolean> {
  const { default: open } = await import('open');
  try {
    await open(file);
    return true;
  } catch {
    return false;
  }
}
