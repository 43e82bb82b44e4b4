import type { Codec } from '../codecs/codec.js';
import { digestAfter, digestOf, messageDigest } from './digest.js';
import { isAsBefore, snapshotOf } from './snapshot.js';
import type { Snapshot } from './snapshot.js';

/** The beginning of a list. */
export interface Opening {
  /** The name of the conversation: made of the user's first message. */
  readonly name: string;
  /** The digest of what comes before the model's first message. */
  readonly start: string;
  /** The digest of the list through the model's first message; undefined while there is none. */
  readonly answered: string | undefined;
}

interface ReadOpening {
  readonly snapshot: Snapshot;
  readonly role: string | undefined;
  readonly digest: string;
}

/** Reads how lists begin. A message object that is as it was is not read again. */
export class Openings {
  readonly #codec: Codec;
  readonly #read = new WeakMap<object, ReadOpening>();

  constructor(codec: Codec) {
    this.#codec = codec;
  }

  of(messages: readonly unknown[]): Opening {
    let start = '';
    let user: string | undefined;
    const opening = (answered?: string) => ({ name: `messages-${user ?? digestOf('')}`, start, answered });
    try {
      for (const message of messages) {
        const { role, digest } = this.#messageOf(message);
        if (role === 'assistant') return opening(digestAfter(start, digest));
        if (role === 'user') user ??= digest;
        start = digestAfter(start, digest);
      }
    } catch {
      // The fit says that the codec has failed.
    }
    return opening();
  }

  #messageOf(message: unknown): ReadOpening {
    const key = typeof message === 'object' && message !== null ? message : undefined;
    const known = key === undefined ? undefined : this.#read.get(key);
    if (known !== undefined && isAsBefore(known.snapshot, message)) return known;
    const host = this.#codec.read(message);
    const read = { snapshot: snapshotOf(message), role: host.role, digest: messageDigest(host) };
    if (key !== undefined) this.#read.set(key, read);
    return read;
  }
}
