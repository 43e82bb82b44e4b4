import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { startProgram } from '@palimpsest/tools/process';
import type { SupervisedProgram } from '@palimpsest/tools/process';
import type { ServerTransport } from './gate.js';
import { FloodGate, LogTail, MessageGate, mostMessageBytes } from './gate.js';

/** The handlers of lines. */
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
class LineReader {
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

/** The longest part of a key or a value that is kept: an id is short. Unit: bytes. */
const longest = 200;
const [quote, backslash, colon, comma] = [34, 92, 58, 44];

/** Finds the id of a JSON-RPC message that is too long to be held, in whatever pieces it comes. */
export class MessageId {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #token = '';
  #key = '';
  #id: unknown;

  /** Undefined if the message has none, or none that is whole. */
  get id(): unknown {
    return this.#id;
  }

  write(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#isInString) this.#inString(byte);
      else if (byte === quote) {
        this.#isInString = true;
        this.#keep(byte);
      } else if (byte === 123 || byte === 91) this.#depth++;
      else if (byte === 125 || byte === 93) {
        if (this.#depth === 1) this.#endValue();
        this.#depth--;
      } else if (this.#depth === 1 && byte === colon) {
        this.#key = this.#token.trim();
        this.#token = '';
      } else if (this.#depth === 1 && byte === comma) this.#endValue();
      else this.#keep(byte);
    }
  }

  #inString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#isInString = false;
    this.#keep(byte);
  }

  /** Of the outermost object alone. */
  #keep(byte: number): void {
    if (this.#depth === 1 && this.#token.length < longest) this.#token += String.fromCharCode(byte);
  }

  #endValue(): void {
    if (this.#key === '"id"') this.#id = valueOf(this.#token);
    this.#key = this.#token = '';
  }
}

function valueOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The time that a server has to end by itself when its input is closed. Unit: milliseconds. */
const ownEndMs = 500;
/** The time for which its output is read after its end. Unit: milliseconds. */
const restMs = 250;

/**
 * A server that is a program, over its input and output. The SDK's own transport starts it without a group of its own: what a
 * server starts would outlive it, and the server would outlive a host that is killed.
 */
export class StdioTransport implements Transport, ServerTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];

  readonly gate = new MessageGate();
  readonly log = new LogTail();
  problem: string | undefined;
  isFlooded = false;
  /** By these two the SDK knows a transport over pipes: silence means an older server, and not an outage. */
  readonly stderr = null;
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  readonly #program: readonly string[];
  readonly #surroundings: { readonly cwd: string; readonly env: Readonly<Record<string, string>> };
  #process: SupervisedProgram | undefined;
  #ended: Promise<void> | undefined;
  #isClosed = false;

  constructor(program: readonly string[], surroundings: { cwd: string; env: Readonly<Record<string, string>> }) {
    this.#program = program;
    this.#surroundings = surroundings;
  }

  async start(): Promise<void> {
    const started = startProgram(this.#program, this.#surroundings);
    this.#process = started;
    this.#ended = started.exit.then(
      ([status, by]) => this.#end(started, by === null ? `ended with status ${status ?? 0}.` : `was ended by ${by}.`),
      (error: Error) => this.#end(started, `did not start: ${error.message}`),
    );
    for (const stream of [started.stdin, started.stdout, started.stderr]) stream.on('error', () => undefined);
    if (started.pid === undefined) {
      await this.#ended;
      throw new Error(this.problem);
    }
    const tooLong = `sent a message of more than ${mostMessageBytes / 2 ** 20} MiB`;
    const lines = new LineReader(mostMessageBytes, {
      line: (text, bytes) => this.#take(text, bytes),
      tooLong: () => {
        if (!this.gate.mayPassOver) this.#flood(tooLong);
        return !this.isFlooded;
      },
      passedOver: (id) => {
        const answer = this.gate.standIn(id);
        if (answer === undefined) this.#flood(tooLong);
        else this.#take(answer, 0);
      },
      endless: () => this.#flood(tooLong),
    });
    started.stdout.on('data', (bytes) => lines.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
    const noise = new FloodGate(10_000_000, 100_000);
    const decoder = new TextDecoder();
    started.stderr.on('data', (bytes) => {
      this.log.add(decoder.decode(bytes, { stream: true }));
      if (!noise.take(bytes.length)) this.#flood('filled its log without end');
    });
    // A host that has nothing else to do may end: the server ends with it. Calls hold it by their time limits.
    started.unref();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#process?.stdin;
    if (stdin === undefined || this.#isClosed || !stdin.writable) throw new Error('The server has ended.');
    if (stdin.writableLength > mostMessageBytes) {
      this.#flood('does not read what it is sent');
      throw new Error('The server does not read.');
    }
    this.gate.sent(message);
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    const started = this.#process;
    if (started === undefined || this.#ended === undefined) return;
    this.problem ??= 'was closed.';
    started.ref();
    started.stdin.end();
    if (!this.#isClosed && !(await isSettled(this.#ended, ownEndMs))) started.end();
    await this.#ended;
  }

  #take(line: string, bytes: number): void {
    if (this.#isClosed || this.isFlooded) return;
    if (this.#deliver(line, bytes) === 'flood') this.#flood('sent messages without end');
  }

  #deliver(line: string, bytes: number): 'pass' | 'drop' | 'flood' {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      // Some servers print a greeting there.
      this.log.add(`${line.slice(0, 500)}\n`);
      return this.gate.noise(bytes);
    }
    const verdict = this.gate.judge(message, bytes);
    if (verdict !== 'pass') return verdict;
    try {
      this.onmessage?.(this.gate.withValidTools(message as JSONRPCMessage));
      return 'pass';
    } catch (error) {
      this.onerror?.(error as Error);
      return this.gate.noise(bytes);
    }
  }

  #flood(problem: string): void {
    if (this.isFlooded) return;
    this.problem ??= `${problem}, and was ended.`;
    this.isFlooded = true;
    this.#process?.kill();
  }

  async #end(started: SupervisedProgram, how: string): Promise<void> {
    const { stdout } = started;
    const isRead = new Promise<void>((resolve) => (stdout.closed ? resolve() : stdout.once('close', () => resolve())));
    await isSettled(isRead, this.isFlooded ? 0 : restMs);
    this.problem ??= how;
    // What it started.
    started.kill();
    for (const stream of [started.stdin, stdout, started.stderr]) stream.destroy();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}

/** Waits for a promise, or for a while. */
async function isSettled(promise: Promise<void>, forMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), forMs);
  });
  try {
    return await Promise.race([promise.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
