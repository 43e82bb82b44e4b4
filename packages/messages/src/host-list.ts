import type { Codec, HostMessage } from './codec.js';
import { digestAfter, messageDigest } from './digest.js';
import { isAsBefore, snapshotOf } from './snapshot.js';

/** What is known of one message of a host. */
export interface KnownMessage {
  /** As it was read last. */
  host: HostMessage;
  /** The digest of the message. */
  readonly digest: string;
  /** The digest of the list up to and including the message. */
  readonly beginning: string;
}

/** The messages of a host's list, as they were when they were read. */
export class HostList {
  readonly #codec: Codec;
  readonly #known: (KnownMessage & { snapshot: unknown })[] = [];

  constructor(codec: Codec) {
    this.#codec = codec;
  }

  get length(): number {
    return this.#known.length;
  }

  at(index: number): KnownMessage | undefined {
    return this.#known[index];
  }

  /** The digest of the first `count` messages. */
  beginning(count: number): string {
    return this.#known[count - 1]?.beginning ?? '';
  }

  /** How many of the first messages of a list equal those of this one. */
  common(messages: readonly unknown[]): number {
    const most = Math.min(messages.length, this.#known.length);
    for (let index = 0; index < most; index++) {
      const known = this.#known[index] as KnownMessage & { snapshot: unknown };
      const message = messages[index];
      if (isAsBefore(known.snapshot, message)) continue;
      const host = this.#codec.read(message);
      if (messageDigest(host) !== known.digest) return index;
      Object.assign(known, { host, snapshot: snapshotOf(message) });
    }
    return most;
  }

  add(message: unknown): KnownMessage {
    const host = this.#codec.read(message);
    const digest = messageDigest(host);
    const known = { host, digest, beginning: digestAfter(this.beginning(this.length), digest) };
    this.#known.push({ ...known, snapshot: snapshotOf(message) });
    return known;
  }

  /** A list of the first messages of this one. */
  first(count: number): HostList {
    const list = new HostList(this.#codec);
    list.#known.push(...this.#known.slice(0, count));
    return list;
  }
}
