import type { Readable } from 'node:stream';
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync } from 'node:fs';
import type { WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { textBoundary, sliceText } from '@palimpsest/events';
import { PlainText } from './plain-text.js';

/** A mask that hides values in a text that comes in pieces. A piece waits while a value may have begun in it. */
export type OutputMask = (emit: (text: string) => void) => {
  write(text: string): void;
  /** The text is complete. */
  end(): void;
};

/** The output of a command: read as plain text, masked, shown in part, kept as a whole. Its memory is bounded. */
export class CommandOutput {
  readonly #shown: LimitedOutput;
  readonly #folder: OutputFolder | undefined;
  readonly #decoder = new TextDecoder();
  readonly #plain: PlainText;
  readonly #masked: ReturnType<OutputMask>;
  #file: OutputWriter | undefined;
  #isBehind = false;
  #isWaiting = false;
  #bytes = 0;

  /** The size of what was read. Unit: bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** True if the disk has to catch up before more is read. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  constructor(options: {
    readonly maxCharacters: number;
    readonly outputs: OutputFolder | undefined;
    readonly mask: OutputMask | undefined;
  }) {
    this.#shown = new LimitedOutput(options.maxCharacters);
    this.#folder = options.outputs;
    const take = (text: string): void => this.#take(text);
    this.#masked = options.mask?.(take) ?? { write: take, end: () => undefined };
    this.#plain = new PlainText((text) => this.#masked.write(text));
  }

  /** Reads a stream of bytes to its end, no faster than the disk takes it. Never rejects. */
  read(stream: Readable): Promise<void> {
    stream.on('data', (bytes: Uint8Array) => {
      this.#bytes += bytes.length;
      this.#plain.write(this.#decoder.decode(bytes, { stream: true }));
      if (!this.#isBehind) return;
      this.#isBehind = false;
      stream.pause();
      this.#isWaiting = true;
      this.#file?.onReady(() => {
        this.#isWaiting = false;
        stream.resume();
      });
    });
    return new Promise((resolve) => stream.once('close', resolve).once('error', () => resolve()));
  }

  async end(): Promise<{
    readonly output: string;
    readonly characters: number;
    readonly isCut: boolean;
    readonly kept?: KeptOutput;
  }> {
    this.#plain.write(this.#decoder.decode());
    this.#plain.end();
    this.#masked.end();
    const kept = await this.#file?.end();
    const { length: characters, isCut } = this.#shown;
    const output = this.#shown.toString((left) => leftOut(left, characters, kept));
    return { output, characters, isCut, ...(kept === undefined ? {} : { kept }) };
  }

  async discard(): Promise<void> {
    await this.#file?.discard();
  }

  #take(text: string): void {
    const before = this.#shown.isCut || this.#folder === undefined ? '' : this.#shown.toString();
    this.#shown.add(text);
    if (!this.#shown.isCut || this.#folder === undefined) return;
    this.#file ??= this.#open(this.#folder, before);
    if (!this.#file.write(text)) this.#isBehind = true;
  }

  #open(folder: OutputFolder, before: string): OutputWriter {
    const file = new OutputWriter(folder);
    file.write(before);
    return file;
  }
}

function leftOut(left: number, all: number, kept: KeptOutput | undefined): string {
  if (kept === undefined) return `[… ${left} characters left out …]`;
  if ('problem' in kept) return `[… ${left} characters left out; they could not be kept: ${kept.problem} …]`;
  const what = kept.characters < all ? `the first ${kept.characters} of ${all}` : `all ${all}`;
  return `[… ${left} characters left out; read_output with the handle '${kept.handle}' reads ${what} …]`;
}

/** The folder in which the whole of a long output is kept. */
export interface OutputFolder {
  /**
   * Created when the first output is kept. The files are those of `fileOutputStore` in `@palimpsest/agent/node`: an agent
   * whose store has the same folder reads them with `read_output`.
   */
  readonly directory: string;
  /** The length of one output that is kept: its beginning. Unit: characters. @defaultValue 100,000,000 */
  readonly maxCharacters?: number;
}

/** The place and the size of a kept output, or the reason why it is not kept. */
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

/**
 * Collects output and keeps its beginning and its end: commands print what they do at the start and why they failed at the
 * end. No character is cut in two. Memory stays below twice the limit, however much is written.
 */
export class LimitedOutput {
  readonly #limit: number;
  #head = '';
  /** The length that may still be added to the head; 0 once the tail holds something. */
  #room: number;
  #tail = '';
  #length = 0;

  /** @param limit Unit: characters. */
  constructor(limit: number) {
    this.#limit = limit;
    this.#room = Math.ceil(limit / 2);
  }

  /** The size of everything that was written. Unit: characters. */
  get length(): number {
    return this.#length;
  }

  get isCut(): boolean {
    return this.#length > this.#limit;
  }

  add(text: string): void {
    this.#length += text.length;
    const end = textBoundary(text, Math.min(this.#room, text.length));
    this.#head += text.slice(0, end);
    this.#room = end < text.length ? 0 : this.#room - end;
    const tail = this.#tail + text.slice(end);
    this.#tail = sliceText(tail, Math.max(0, tail.length - (this.#limit - this.#head.length)));
  }

  /** @param note - what stands in the place of the characters that are left out */
  toString(note = (left: number): string => `[… ${left} characters left out …]`): string {
    if (!this.isCut) return this.#head + this.#tail;
    const left = this.#length - this.#head.length - this.#tail.length;
    return `${this.#head}\n${note(left)}\n${this.#tail}`;
  }
}
