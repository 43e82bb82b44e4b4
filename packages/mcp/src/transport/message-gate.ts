import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { FloodGate } from './flood-gate.js';
import { soundTools } from './sound-tools.js';

/** The longest message. Unit: bytes. */
export const mostMessageBytes = 16 * 2 ** 20;

/** The code of the error that stands for an answer that is too long. */
export const tooLongCode = -32_098;

/** What all answers together may come to until the tools are told. Unit: bytes. */
const mostListBytes = 2 * mostMessageBytes;

/** The notifications that somebody reads. Logs are asked for on standard error. */
const read = /^notifications\/(?:progress|cancelled|tools\/list_changed|subscriptions\/acknowledged)$/;

/**
 * Decides what becomes of a message of a server. Answers to requests pass. What comes unasked costs: some 10,000 messages, 1,000
 * requests or 10 MB at once, and a hundredth of it a second. A server that sends more floods.
 */
export class MessageGate {
  readonly #unasked: FloodGate;
  readonly #pending = new Set<unknown>();
  #listBytes = 0;
  #refusedTools: readonly string[] = [];
  #isListed = false;

  constructor(now?: () => number) {
    this.#unasked = new FloodGate(10_000, 100, now);
  }

  /** To be called with each message to the server. */
  sent(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    for (const one of Array.isArray(message) ? (message as readonly JSONRPCMessage[]) : [message as JSONRPCMessage]) {
      if ('method' in one && 'id' in one) this.#pending.add(one.id);
    }
  }

  /** The server has told its tools. */
  listed(): void {
    this.#isListed = true;
  }

  /** @param bytes - the size of the message on the wire */
  judge(message: unknown, bytes: number): 'pass' | 'drop' | 'flood' {
    if (typeof message !== 'object' || message === null) return this.noise(bytes);
    const { id, method } = message as { readonly id?: unknown; readonly method?: unknown };
    if (method === undefined && this.#pending.delete(id)) {
      this.#listBytes += bytes;
      return !this.#isListed && this.#listBytes > mostListBytes ? 'flood' : 'pass';
    }
    // A request is answered, which takes longer than to read it.
    if (!this.#unasked.take((id === undefined ? 1 : 10) + bytes / 1000)) return 'flood';
    if (method === undefined) return 'drop';
    return id !== undefined || (typeof method === 'string' && read.test(method)) ? 'pass' : 'drop';
  }

  /** Whether an answer may be too long: the call that waits for it fails then, and the server stays. */
  get mayPassOver(): boolean {
    return this.#isListed && this.#pending.size > 0;
  }

  /** The answer that stands for one that is too long; undefined if nobody waits for it. */
  standIn(id: unknown): string | undefined {
    if (!this.#isListed || !this.#pending.has(id)) return undefined;
    const error = { code: tooLongCode, message: `The answer has more than ${mostMessageBytes / 2 ** 20} MiB.` };
    return JSON.stringify({ jsonrpc: '2.0', id, error });
  }

  /** The names of tools that are not valid, as the server has them. */
  get refusedTools(): readonly string[] {
    return this.#refusedTools;
  }

  /** A message that passes, as the SDK is to read it: without tools that are not valid. */
  sound(message: JSONRPCMessage): JSONRPCMessage {
    const { message: read, refused } = soundTools(message);
    if (!this.#isListed) this.#refusedTools = [...this.#refusedTools, ...refused];
    return read;
  }

  /** Something that is no message. */
  noise(bytes: number): 'drop' | 'flood' {
    return this.#unasked.take(1 + bytes / 1000) ? 'drop' : 'flood';
  }
}
