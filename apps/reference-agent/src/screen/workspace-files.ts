import { walk } from '@palimpsest/tools';
import type { Workspace } from '@palimpsest/tools';

/** More are not offered. */
const maxNames = 50_000;
/** Who types waits no longer for an answer that is enough. Unit: milliseconds. */
const patienceMs = 200;
/** An older list is made anew. Unit: milliseconds. */
const freshMs = 15_000;

/**
 * The names of the files of a workspace, without those that its rules ignore. They are read when they are asked for, beside what is typed;
 * while a large workspace is still being read, what is known so far is given where that is enough.
 */
export class WorkspaceFiles {
  readonly #workspace: Workspace;
  readonly #now: () => number;
  #names: readonly string[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  #found: string[] = [];

  constructor(workspace: Workspace, now: () => number = Date.now) {
    this.#workspace = workspace;
    this.#now = now;
  }

  /**
   * What is known of them after a moment, or all.
   *
   * @param isEnough - whether what is known is an answer while the rest is still being read
   */
  async names(isEnough: (names: readonly string[]) => boolean): Promise<readonly string[]> {
    if (this.#reading === undefined && this.#now() - this.#readAt > freshMs) this.#reading = this.#read();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, patienceMs)));
    if (this.#reading !== undefined) await Promise.race([this.#reading, patience]);
    clearTimeout(timer);
    if (!isEnough(this.#known)) await this.#reading;
    return this.#known;
  }

  get #known(): readonly string[] {
    return this.#names.length >= this.#found.length ? this.#names : this.#found;
  }

  async #read(): Promise<void> {
    this.#found = [];
    try {
      for await (const { path, kind } of walk(this.#workspace, this.#workspace.root)) {
        if (path === undefined || kind !== 'file' || /[\s\p{Cc}]/u.test(path)) continue;
        this.#found.push(path);
        if (this.#found.length >= maxNames) break;
      }
      this.#names = this.#found;
    } catch {
      // A folder that has gone has no files to offer.
    } finally {
      this.#readAt = this.#now();
      this.#reading = undefined;
    }
  }
}
