import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync } from 'node:fs';
import type { WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { textBoundary } from '@palimpsest/events';

/** Where the whole of a long output is kept. */
export interface OutputFolder {
  /**
   * Created when the first output is kept. The files are those of `fileOutputStore` in `@palimpsest/agent/node`: an agent
   * whose store has the same folder reads them with `read_output`.
   */
  readonly directory: string;
  /** How much of one output is kept: its beginning. Unit: characters. @defaultValue 100,000,000 */
  readonly maxCharacters?: number;
}

/** Where an output is kept and how much of it, or why it is not. */
export type KeptOutput = { readonly handle: string; readonly characters: number } | { readonly problem: string };

const defaultMaxCharacters = 100_000_000;

/** Writes an output into a file while it comes. At the end the file is named by what is in it. */
export class OutputWriter {
  readonly #directory: string;
  readonly #part: string;
  readonly #file: WriteStream;
  readonly #hash = createHash('sha256');
  readonly #done: Promise<void>;
  #room: number;
  #characters = 0;
  #problem: string | undefined;

  constructor({ directory, maxCharacters = defaultMaxCharacters }: OutputFolder) {
    this.#directory = directory;
    this.#room = maxCharacters;
    this.#part = path.join(directory, `.${randomUUID()}.part`);
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
    } catch (error) {
      this.#problem = (error as Error).message;
    }
    this.#file = createWriteStream(this.#part, { flags: 'wx', mode: 0o600, flush: true });
    // A disk that is full ends the file, not the command.
    this.#done = finished(this.#file).catch((error: unknown) => {
      this.#problem ??= (error as Error).message;
    });
  }

  /** False when the file is behind: wait for `onReady` before more is written. */
  write(text: string): boolean {
    if (this.#room <= 0 || this.#problem !== undefined) return true;
    const part = text.slice(0, textBoundary(text, Math.min(this.#room, text.length)));
    // Less than a character had room: nothing comes after it.
    this.#room = part.length < text.length ? 0 : this.#room - part.length;
    this.#characters += part.length;
    const bytes = Buffer.from(part);
    this.#hash.update(bytes);
    return this.#file.write(bytes);
  }

  /** Calls a function when what was written is on its way to the disk, or cannot be written. */
  onReady(ready: () => void): void {
    this.#file.once('drain', ready);
    void this.#done.then(ready);
  }

  async end(): Promise<KeptOutput> {
    this.#file.end();
    await this.#done;
    if (this.#problem === undefined) {
      const handle = `output-${this.#hash.digest('hex').slice(0, 32)}`;
      try {
        await rename(this.#part, path.join(this.#directory, `${handle}.txt`));
        return { handle, characters: this.#characters };
      } catch (error) {
        this.#problem = (error as Error).message;
      }
    }
    await this.discard();
    return { problem: this.#problem };
  }

  async discard(): Promise<void> {
    this.#file.destroy();
    await this.#done;
    await rm(this.#part, { force: true }).catch(() => undefined);
  }
}
