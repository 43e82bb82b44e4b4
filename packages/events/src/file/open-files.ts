/** A file that is open and not used now. */
export interface IdleFile {
  /** Closes it because another file needs its place. */
  closeIdle(): Promise<void>;
}

/**
 * Limits the number of files that are open for writing. Idle files stay open until another file needs their place. The least
 * recently used file is closed first.
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

  /** Waits until one more file may be opened. The caller must return the place with `give` or `rest`. */
  async take(): Promise<void> {
    if (this.#open < this.#limit) {
      this.#open++;
      return;
    }
    const [oldest] = this.#idle;
    if (oldest === undefined) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#idle.delete(oldest);
    // The file counts as closed even if this fails; acknowledged events are already safe.
    await oldest.closeIdle().catch(() => undefined);
  }

  /** Returns the place of a closed file. */
  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#open--;
    else next();
  }

  /** Marks an open file as idle. It stays open until another file needs its place. */
  async rest(file: IdleFile): Promise<void> {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#idle.add(file);
      return;
    }
    await file.closeIdle().catch(() => undefined);
    next();
  }

  /** Marks an idle file as used again. False if it was closed meanwhile. */
  wake(file: IdleFile): boolean {
    return this.#idle.delete(file);
  }
}
