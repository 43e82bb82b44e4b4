import { commonLength } from './request-body.js';
import type { RequestBody } from './request-body.js';

/** An agent, and the agents that it has started, ask in turn. */
const mostBodies = 4;
/** Unit: bytes. */
const mostBytes = 32 * 1024 * 1024;

/** The bodies that were read last, one of each conversation: the next one of a conversation begins as the one before it. */
export class EarlierBodies {
  /** The one that was used last is the last. */
  readonly #bodies: RequestBody[] = [];

  /** Returns the body whose bytes begin most like these. Undefined if none does. */
  likeliest(bytes: Uint8Array): RequestBody | undefined {
    let found: RequestBody | undefined;
    let longest = 0;
    for (const body of this.#bodies) {
      const common = commonLength(bytes, body.bytes);
      if (common <= longest) continue;
      found = body;
      longest = common;
    }
    return found;
  }

  /** Remembers a body, in the place of one whose messages it mostly has. */
  add(body: RequestBody, likeliest: RequestBody | undefined): void {
    const index = likeliest === undefined ? -1 : this.#bodies.indexOf(likeliest);
    if (index !== -1 && isMostlyIn(likeliest, body)) this.#bodies.splice(index, 1);
    this.#bodies.push(body);
    while (this.#bodies.length > mostBodies || (this.#bodies.length > 1 && this.#bytes > mostBytes))
      this.#bodies.shift();
  }

  get #bytes(): number {
    return this.#bodies.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }
}

function isMostlyIn(earlier: RequestBody | undefined, { list }: RequestBody): boolean {
  if (earlier === undefined) return false;
  const kept = earlier.list.findIndex((message, index) => message !== list[index]);
  return kept === -1 || kept >= earlier.list.length / 2;
}
