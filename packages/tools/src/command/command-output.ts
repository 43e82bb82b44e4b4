import type { Readable } from 'node:stream';
import { OutputWriter } from './kept-output.js';
import type { KeptOutput, OutputFolder } from './kept-output.js';
import { LimitedOutput } from './limited-output.js';
import { PlainText } from './plain-text.js';

/** Hides values in a text that comes in pieces. A piece waits while a value may have begun in it. */
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

  /** How much was read. Unit: bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the disk has to catch up before more is read. */
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
