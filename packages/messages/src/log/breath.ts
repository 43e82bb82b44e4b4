// Taken at load: timers that a host fakes later never fire by themselves, and a fit would hang.
const { setImmediate: immediately, setTimeout: later } = globalThis as typeof globalThis & {
  readonly setImmediate?: (then: () => void) => unknown;
};
const now = performance.now.bind(performance);

/** How long work may go on before others have their turn. Unit: milliseconds. */
const longestMs = 8;
/** Asking for the time costs something too. */
const between = 64;

/** Gives other work of the process its turn while a long list is read. */
export class Breath {
  #since = now();
  #count = 0;

  /** Whether it is time for others. Asked once for each message. */
  isDue(): boolean {
    return ++this.#count % between === 0 && now() - this.#since >= longestMs;
  }

  async take(): Promise<void> {
    await new Promise<void>((resolve) => (immediately ?? later)(() => resolve()));
    this.#since = now();
  }
}
