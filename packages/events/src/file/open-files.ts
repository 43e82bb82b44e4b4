/** A file that is open and not used now. */
export interface IdleFile {
  /** Closes it because another file needs its place. */
  closeIdle(): Promise<void>;
}

/**
 * Bounds how many files are open for writing. Files that are not used stay open as long as nobody needs their place; then the
 * one that was used longest ago is closed first.
 */
export class OpenFiles {
  readonly #limit: number;
  /** In the order in which they were last used. */
  readonly #idle = new Set<IdleFile>();
  readonly #waiting: (() => void)[] = [];
  #open = 0;

  /** @param limit - how many may be open at a time */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Waits until one more file may be opened. Whoever opens it gives its place back. */
  async take(): Promise<void> {
    if (this.#open < this.#limit) {
      this.#open++;
      return;
    }
    const [oldest] = this.#idle;
    if (oldest === undefined) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#idle.delete(oldest);
    // Closed it is in any case; what was acknowledged is safe without that.
    await oldest.closeIdle().catch(() => undefined);
  }

  /** A file was closed. */
  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#open--;
    else next();
  }

  /** A file stays open, until another one needs its place. */
  async rest(file: IdleFile): Promise<void> {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#idle.add(file);
      return;
    }
    await file.closeIdle().catch(() => undefined);
    next();
  }

  /** Takes a file up again. False when it was closed meanwhile. */
  wake(file: IdleFile): boolean {
    return this.#idle.delete(file);
  }
}
