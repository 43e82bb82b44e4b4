/** What becomes of lines. */
export interface LineTakers {
  /** @param bytes - the length of the line */
  readonly line: (text: string, bytes: number) => void;
  /** The line that is being read is longer than allowed. Nothing is read after it. */
  readonly tooLong: () => void;
}

/** Reads lines out of pieces. Holds at most one line, in at most twice its size, in whatever pieces it comes. */
export class LineReader {
  readonly #most: number;
  readonly #takers: LineTakers;
  #held = Buffer.alloc(0);
  #length = 0;
  #isOver = false;

  /** @param most - the longest line. Unit: bytes. */
  constructor(most: number, takers: LineTakers) {
    this.#most = most;
    this.#takers = takers;
  }

  write(chunk: Buffer): void {
    let begin = 0;
    while (!this.#isOver) {
      const end = chunk.indexOf(10, begin);
      const piece = chunk.subarray(begin, end === -1 ? undefined : end);
      if (this.#length + piece.length > this.#most) {
        this.#isOver = true;
        this.#held = Buffer.alloc(0);
        return this.#takers.tooLong();
      }
      if (end === -1) return this.#hold(piece);
      const line = this.#length === 0 ? piece : this.#whole(piece);
      begin = end + 1;
      this.#takers.line(line.toString('utf8'), line.length);
    }
  }

  #whole(piece: Buffer): Buffer {
    this.#hold(piece);
    const line = this.#held.subarray(0, this.#length);
    this.#held = Buffer.alloc(0);
    this.#length = 0;
    return line;
  }

  #hold(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#held.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#held.length));
      this.#held.copy(larger, 0, 0, this.#length);
      this.#held = larger;
    }
    piece.copy(this.#held, this.#length);
    this.#length = length;
  }
}
