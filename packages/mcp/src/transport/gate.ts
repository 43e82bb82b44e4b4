import type { Transport, JSONRPCMessage } from '@modelcontextprotocol/client';
import { isSpecType } from '@modelcontextprotocol/client';
import { sliceText } from '@palimpsest/events';
import { plainText } from '../plain-text.js';

/** A way to a server that bounds what it may send. */
export interface ServerTransport extends Transport {
  readonly gate: MessageGate;
  /** The end of what the server wrote to its log. */
  readonly log: LogTail;
  /** The reason of its end, as the end of a sentence that begins with the server. Undefined while it is open. */
  readonly problem: string | undefined;
  /** It was ended because it sent too much. */
  readonly isFlooded: boolean;
}

/** The longest message. Unit: bytes. */
export const mostMessageBytes = 16 * 2 ** 20;

/** The code of the error that stands for an answer that is too long. */
export const tooLongCode = -32_098;

/** The most that all answers together may come to until the tools are listed. Unit: bytes. */
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

  /** True if an answer may be too long: the call that waits for it fails then, and the server stays. */
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
  withValidTools(message: JSONRPCMessage): JSONRPCMessage {
    const { message: read, refused } = validTools(message);
    if (!this.#isListed) this.#refusedTools = [...this.#refusedTools, ...refused];
    return read;
  }

  /** Something that is no message. */
  noise(bytes: number): 'drop' | 'flood' {
    return this.#unasked.take(1 + bytes / 1000) ? 'drop' : 'flood';
  }
}

/** A limit of unasked messages: a stock that is used up by messages and fills again with time. */
export class FloodGate {
  readonly #most: number;
  readonly #perSecond: number;
  readonly #now: () => number;
  #stock: number;
  #at: number;

  /**
   * @param most - the stock when it is full
   * @param perSecond - how fast it fills
   * @param now - Unit: milliseconds. @defaultValue the clock of the process
   */
  constructor(most: number, perSecond: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#perSecond = perSecond;
    this.#now = now;
    this.#stock = most;
    this.#at = now();
  }

  /** Takes from the stock. False if there is not enough. */
  take(amount: number): boolean {
    const at = this.#now();
    this.#stock = Math.min(this.#most, this.#stock + ((at - this.#at) / 1000) * this.#perSecond);
    this.#at = at;
    this.#stock -= amount;
    return this.#stock >= 0;
  }
}

/** A list of tools without those that are not valid, and the names of these. */
export interface ValidTools {
  readonly message: JSONRPCMessage;
  readonly refused: readonly string[];
}

type Node = Readonly<Record<string, unknown>>;

/** The key of a schema that names the header in which an argument is sent, too. */
const headerKey = 'x-mcp-header';
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const headerTypes: readonly unknown[] = ['string', 'integer', 'boolean'];

/**
 * Takes the tools that are not valid out of an answer that lists tools. For one such tool the SDK refuses the whole list, and for a
 * header that is none it writes to the console, in the words of the server.
 */
export function validTools(message: JSONRPCMessage): ValidTools {
  const { result } = message as { readonly result?: { readonly tools?: unknown } | null };
  const tools = result?.tools;
  if (!Array.isArray(tools) || tools.every(isValid)) return { message, refused: [] };
  return {
    message: { ...message, result: { ...result, tools: tools.filter(isValid) } },
    refused: tools.filter((tool) => !isValid(tool)).map(nameOf),
  };
}

function isValid(tool: unknown): boolean {
  try {
    return isSpecType.Tool(tool) && hasValidHeaders(tool.inputSchema);
  } catch {
    // Nested too deeply to be read.
    return false;
  }
}

function nameOf(tool: unknown): string {
  return isNode(tool) && typeof tool['name'] === 'string' ? tool['name'] : 'a tool without a name';
}

/** Returns true if each header is one of an argument, at any depth of `properties`, and no two have the same name. */
function hasValidHeaders(schema: Node): boolean {
  const names = new Set<string>();
  const count = (node: Node): number => {
    const { properties } = node;
    if (!isNode(properties)) return 0;
    return Object.values(properties)
      .filter(isNode)
      .reduce((sum, property) => {
        const name = property[headerKey];
        const isHeader = typeof name === 'string' && headerName.test(name) && headerTypes.includes(property['type']);
        if (isHeader) names.add(name.toLowerCase());
        return sum + (isHeader ? 1 : 0) + count(property);
      }, 0);
  };
  const headers = count(schema);
  return headers === names.size && headers === keysIn(schema);
}

/** Counts the key at any depth. */
function keysIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + keysIn(item), 0);
  if (!isNode(value)) return 0;
  return Object.entries(value).reduce((sum, [key, item]) => sum + (key === headerKey ? 1 : 0) + keysIn(item), 0);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The length of what is kept. Unit: characters. */
const kept = 8_000;

/** The end of what a server wrote to its log. */
export class LogTail {
  #text = '';

  add(text: string): void {
    const all = this.#text + text.slice(-kept);
    this.#text = sliceText(all, Math.max(0, all.length - kept));
  }

  /** Without what a terminal would obey. */
  toString(): string {
    return plainText(this.#text, kept);
  }

  /** The last lines that say something, for an error: the log of a crash often ends with them. */
  get lastWords(): string {
    const lines = this.toString()
      .split('\n')
      .filter((line) => line.trim() !== '');
    return plainText(lines.slice(-3).join(' | '), 400);
  }
}
