/**
 * Collects output and keeps its beginning and its end: what a command was asked to do stands at the start, why it failed
 * at the end. Memory stays below twice the limit, however much is written.
 */
export class LimitedOutput {
  readonly #limit: number;
  #head = '';
  #tail = '';
  #length = 0;

  /** @param limit Unit: characters. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** All that was written. Unit: characters. */
  get length(): number {
    return this.#length;
  }

  get isCut(): boolean {
    return this.#length > this.#limit;
  }

  add(text: string): void {
    this.#length += text.length;
    const half = Math.ceil(this.#limit / 2);
    const room = half - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail = (this.#tail + text.slice(room)).slice(-(this.#limit - half));
  }

  toString(): string {
    if (!this.isCut) return this.#head + this.#tail;
    const left = this.#length - this.#head.length - this.#tail.length;
    return `${this.#head}\n[… ${left} characters left out …]\n${this.#tail}`;
  }
}
