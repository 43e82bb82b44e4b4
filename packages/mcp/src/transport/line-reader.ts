import { MessageId } from './message-id.js';

/** What becomes of lines. */
export interface LineTakers {
  /** @param bytes - the length of the line */
  readonly line: (text: string, bytes: number) => void;
  /** A line began that is longer than allowed. Returns whether it is passed over; if not, nothing is read after it. */
  readonly tooLong: () => boolean;
  /** A line that was passed over has ended. @param id - of the message that it was, if it had one */
  readonly passedOver: (id: unknown) => void;
  /** A line that is passed over does not end. Nothing is read after it. */
  readonly endless: () => void;
}

/** So many times the longest line are passed over. */
const mostPassedOver = 4;

/** Reads lines out of pieces. Holds at most one line, in at most twice its size, in whatever pieces it comes. */
export class LineReader {
  readonly #most: number;
  readonly #takers: LineTakers;
  #held = Buffer.alloc(0);
  #length = 0;
  /** Of the line that is passed over. */
  #passed: MessageId | undefined;
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
      if (this.#passed !== undefined) this.#passOver(this.#passed, piece);
      else if (this.#length + piece.length > this.#most) this.#beginPassing(piece);
      else if (end === -1) this.#hold(piece);
      else {
        const line = this.#length === 0 ? piece : this.#whole(piece);
        this.#takers.line(line.toString('utf8'), line.length);
      }
      if (end === -1) return;
      this.#endPassing();
      begin = end + 1;
    }
  }

  #beginPassing(piece: Buffer): void {
    const before = this.#held.subarray(0, this.#length);
    this.#held = Buffer.alloc(0);
    if (!this.#takers.tooLong()) {
      this.#isOver = true;
      return;
    }
    this.#passed = new MessageId();
    this.#length = 0;
    for (const part of [before, piece]) this.#passOver(this.#passed, part);
  }

  #passOver(passed: MessageId, piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length <= mostPassedOver * this.#most) return passed.write(piece);
    this.#isOver = true;
    this.#takers.endless();
  }

  #endPassing(): void {
    if (this.#passed === undefined || this.#isOver) return;
    const { id } = this.#passed;
    this.#passed = undefined;
    this.#length = 0;
    this.#takers.passedOver(id);
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
