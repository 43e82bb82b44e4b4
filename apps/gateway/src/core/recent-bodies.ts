import { createHash } from 'node:crypto';

/** The number of bodies that are remembered. */
const most = 64;

/** The bodies of the last requests, by their digests. */
export class RecentBodies {
  readonly #digests = new Set<string>();

  /** Returns true if a body came before, and remembers it. */
  has(body: Uint8Array): boolean {
    const digest = createHash('sha256').update(body).digest('base64');
    const isKnown = this.#digests.delete(digest);
    this.#digests.add(digest);
    const [oldest = ''] = this.#digests;
    if (this.#digests.size > most) this.#digests.delete(oldest);
    return isKnown;
  }
}
