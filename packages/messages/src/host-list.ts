import type { Codec, HostMessage } from './codec.js';
import { canonicalText, digestAfter, digestOf, messageDigest } from './digest.js';
import { isAsBefore, snapshotOf } from './snapshot.js';

/** What is known of one message of a host. */
export interface KnownMessage {
  /** As it was read last. */
  host: HostMessage;
  /** The digest of the message. */
  readonly digest: string;
  /** The digest of the list up to and including the message. */
  readonly beginning: string;
  /** How many answers of the model begin up to and including the message. Neighbouring messages of the model are one. */
  readonly answers: number;
}

/** The messages of a host's list, as they were when they were read. */
export class HostList {
  readonly #codec: Codec;
  #characters = 0;
  readonly #known: (KnownMessage & { snapshot: unknown })[] = [];

  constructor(codec: Codec) {
    this.#codec = codec;
  }

  get length(): number {
    return this.#known.length;
  }

  /** The characters of the messages that this list has read. */
  get characters(): number {
    return this.#characters;
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

  /** The digests of the messages from an index on. */
  digestsFrom(index: number): readonly string[] {
    return this.#known.slice(index).map(({ digest }) => digest);
  }

  /** The answers that begin in the first `count` messages. */
  answers(count: number): number {
    return this.#known[count - 1]?.answers ?? 0;
  }

  /** How many messages there are up to the end of the newest answer; 0 if there is none. */
  get throughAnswer(): number {
    return this.#known.findLastIndex(({ host }) => host.role === 'assistant') + 1;
  }

  add(message: unknown): KnownMessage {
    const host = this.#codec.read(message);
    const text = canonicalText(host);
    this.#characters += text.length;
    const digest = digestOf(text);
    const isNext = host.role === 'assistant' && this.#known.at(-1)?.host.role !== 'assistant';
    const answers = this.answers(this.length) + (isNext ? 1 : 0);
    const known = { host, digest, beginning: digestAfter(this.beginning(this.length), digest), answers };
    this.#known.push({ ...known, snapshot: snapshotOf(message) });
    return known;
  }

  /** A list of the first messages of this one, which are not read again. */
  first(count: number): HostList {
    const list = new HostList(this.#codec);
    for (const known of this.#known.slice(0, count)) list.#known.push({ ...known });
    return list;
  }
}
