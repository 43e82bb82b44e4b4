import { sliceText, textBoundary } from '@palimpsest/events';

/**
 * Collects output and keeps its beginning and its end: commands print what they do at the start and why they failed at the
 * end. No character is cut in two. Memory stays below twice the limit, however much is written.
 */
export class LimitedOutput {
  readonly #limit: number;
  #head = '';
  /** How much may still be added to the head; 0 once the tail holds something. */
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
