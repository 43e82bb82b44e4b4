import type { Piece } from '@palimpsest/llm-adapters/wire';
import type { Codec, HostMessage } from '../codecs/codec.js';
import { unreadForm } from '../codecs/unread-form.js';
import type { UnreadForm } from '../codecs/unread-form.js';
import { digestAfter, messageDigest } from './digest.js';
import { charactersIn, copyOf, isAsBefore, snapshotOf } from './snapshot.js';
import type { Snapshot } from './snapshot.js';

/** The known facts of one message of a host. */
export interface KnownMessage {
  /** As it was read last. */
  readonly host: HostMessage;
  /**
   * The number of the model's answers that begin up to and including the message. Neighbouring messages of the model
   * are one.
   */
  readonly answers: number;
  /** The message as it was when it was read. */
  readonly snapshot: Snapshot;
  /** The form of the message, if the codec does not read it. */
  readonly unread: UnreadForm | undefined;
}

/** The messages of a host's list, as they were when they were read. Digests are made when they are asked for. */
export class HostList {
  readonly #codec: Codec;
  #characters = 0;
  readonly #known: KnownMessage[] = [];
  readonly #digests: (string | undefined)[] = [];
  /** The digests of the list up to and including each message. */
  readonly #beginnings: string[] = [];

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

  /** The digest of a message. */
  digest(index: number): string {
    const known = this.#known[index];
    return known === undefined ? '' : (this.#digests[index] ??= messageDigest(known.host));
  }

  /** The digest of the first `count` messages. */
  beginning(count: number): string {
    if (count > this.#known.length) return '';
    for (let index = this.#beginnings.length; index < count; index++) {
      this.#beginnings.push(digestAfter(this.#beginnings[index - 1] ?? '', this.digest(index)));
    }
    return this.#beginnings[count - 1] ?? '';
  }

  /** Returns the number of the first messages of a list that equal those of this one. */
  common(messages: readonly unknown[]): number {
    const most = Math.min(messages.length, this.#known.length);
    for (let index = 0; index < most; index++) {
      const known = this.#known[index] as KnownMessage;
      const message = messages[index];
      if (isAsBefore(known.snapshot, message)) continue;
      const host = this.#read(message);
      if (messageDigest(host) !== this.digest(index)) return index;
      this.#known[index] = { ...known, host, snapshot: snapshotOf(message) };
    }
    return most;
  }

  /** The answers that begin in the first `count` messages. */
  answers(count: number): number {
    return this.#known[count - 1]?.answers ?? 0;
  }

  /** The number of messages up to the end of the newest answer; 0 if there is none. */
  get throughAnswer(): number {
    return this.#known.findLastIndex(({ host }) => host.role === 'assistant') + 1;
  }

  /** @param known - the message as another list has read it at this place, if it is as it was then */
  add(message: unknown, known?: KnownMessage): void {
    const isKnown = known !== undefined && isAsBefore(known.snapshot, message);
    const { host, snapshot, unread } = isKnown ? known : this.#readNew(message);
    const isNext = host.role === 'assistant' && this.#known.at(-1)?.host.role !== 'assistant';
    const answers = this.answers(this.length) + (isNext ? 1 : 0);
    this.#characters += charactersIn(snapshot);
    this.#known.push({ host, answers, snapshot, unread });
  }

  /** The index of the first message of which the codec does not read the form; -1 if it knows all. */
  get firstUnread(): number {
    return this.#known.findIndex(({ unread }) => unread !== undefined);
  }

  #readNew(message: unknown): Omit<KnownMessage, 'answers'> {
    const host = this.#read(message);
    return { host, snapshot: snapshotOf(message), unread: unreadForm(message, host, this.#codec) };
  }

  /** Reads a message. Nothing of what was read changes with the host's message. */
  #read(message: unknown): HostMessage {
    const host = this.#codec.read(message);
    if (this.#codec.returnsNewPieces !== true) return { ...host, pieces: copyOf(host.pieces) };
    return host.pieces.some(holdsOfHost) ? { ...host, pieces: host.pieces.map(ownPiece) } : host;
  }

  /** A list of the first messages of this one, which are not read again. */
  first(count: number): HostList {
    const list = new HostList(this.#codec);
    list.#known.push(...this.#known.slice(0, count));
    list.#digests.push(...this.#digests.slice(0, count));
    list.#beginnings.push(...this.#beginnings.slice(0, count));
    return list;
  }
}

/** Returns true if a reader takes over more than text from the host's message. */
function holdsOfHost(piece: Piece): boolean {
  switch (piece.type) {
    case 'content':
      return piece.part.type !== 'text' && piece.part.type !== 'image';
    case 'result':
      return piece.content.some(holdsOfHost);
    default:
      return piece.type === 'unread' || piece.type === 'reasoning-item';
  }
}

/** A piece with copies of what a reader takes over from the host's message. */
function ownPiece<One extends Piece>(piece: One): One {
  if (!holdsOfHost(piece)) return piece;
  switch (piece.type) {
    case 'content':
      return { ...piece, part: copyOf(piece.part) };
    case 'unread':
      return { ...piece, value: copyOf(piece.value) };
    case 'result':
      return { ...piece, content: piece.content.map(ownPiece) };
    case 'reasoning-item':
      return { ...piece, item: copyOf(piece.item) };
    default:
      return piece;
  }
}
