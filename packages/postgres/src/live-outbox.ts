import type { PostgresClient } from './client.js';

/** A piece of an answer in progress: a `Delta` of `@palimpsest/llm-adapters`. */
export type LiveDelta =
  | { readonly type: 'text' | 'thinking'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments: string;
    }
  | { readonly type: 'restart'; readonly reason: string };

/** The time from one statement to the next: what comes meanwhile is sent together. Unit: milliseconds. */
const pauseMs = 50;
/** A character takes up to six bytes in JSON, and an id has 512 characters. Unit: characters. */
const pieceLength = 700;
/** The server refuses more. Unit: bytes. */
const maxPayload = 7_999;
/** The number of deltas of a conversation that may wait. Further ones are left out: the event has all of the answer. */
const maxWaiting = 200;

/**
 * What followers are to be told, until it is sent: apart from the appends, because a transaction that notifies holds a lock of the whole
 * server while it commits, and for all conversations together.
 */
export class LiveOutbox {
  readonly #client: PostgresClient;
  readonly #versions = new Map<string, number>();
  /** By conversation: a channel may be that of several. */
  readonly #deltas = new Map<string, WaitingDeltas>();
  #isSending = false;
  #sent = 0;

  constructor(client: PostgresClient) {
    this.#client = client;
  }

  version(channel: string, version: number): void {
    // The pieces of an answer come before the event that holds it.
    this.#versions.set(channel, version);
    this.#send();
  }

  delta(channel: string, conversationId: string, delta: LiveDelta): void {
    const waiting = this.#deltas.get(conversationId) ?? { channel, deltas: [] };
    const last = waiting.deltas.at(-1);
    const both = last === undefined ? undefined : joined(last, delta);
    if (both !== undefined) waiting.deltas[waiting.deltas.length - 1] = both;
    else if (waiting.deltas.length < maxWaiting) waiting.deltas.push(delta);
    this.#deltas.set(conversationId, waiting);
    this.#send();
  }

  #send(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    void this.#sendAll().finally(() => (this.#isSending = false));
  }

  /** Takes out what waits, as channels and payloads. */
  #taken(): readonly (readonly [string, string])[] {
    const lines: (readonly [string, string])[] = [];
    for (const [conversationId, { channel, deltas }] of this.#deltas) {
      for (const delta of deltas.flatMap(inPieces)) {
        // With a number, because the server sends equal notifications of a transaction once.
        lines.push([channel, JSON.stringify([conversationId, delta, this.#sent++])]);
      }
    }
    for (const [channel, version] of this.#versions) lines.push([channel, String(version)]);
    this.#deltas.clear();
    this.#versions.clear();
    return lines;
  }

  async #sendAll(): Promise<void> {
    while (this.#versions.size + this.#deltas.size > 0) {
      const lines = this.#taken().filter(([, payload]) => utf8.encode(payload).length <= maxPayload);
      // Whoever misses it looks now and then.
      await this.#client
        .query(notify, [lines.map(([channel]) => channel), lines.map(([, payload]) => payload)])
        .catch(() => undefined);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        (timer as { unref?: () => void }).unref?.();
      });
    }
  }
}

interface WaitingDeltas {
  readonly channel: string;
  readonly deltas: LiveDelta[];
}

const utf8 = new TextEncoder();

/** A notification need not survive the server, so its commit does not wait for the disk. */
const notify = `
select pg_notify(line.channel, line.payload)::text as told
from (select set_config('synchronous_commit', 'off', true)) as quick, unnest($1::text[], $2::text[]) as line (channel, payload)`;

/** Two pieces as one; undefined if they are of two kinds. */
function joined(one: LiveDelta, next: LiveDelta): LiveDelta | undefined {
  if (one.type === 'tool-call' && next.type === 'tool-call')
    return one.index === next.index && next.id === undefined && next.name === undefined
      ? { ...one, arguments: one.arguments + next.arguments }
      : undefined;
  if (one.type === 'restart' || next.type === 'restart' || one.type === 'tool-call' || next.type === 'tool-call')
    return undefined;
  return one.type === next.type ? { ...one, text: one.text + next.text } : undefined;
}

function inPieces(delta: LiveDelta): readonly LiveDelta[] {
  switch (delta.type) {
    case 'tool-call':
      return piecesOf(delta.arguments).map((piece, index) =>
        index === 0 ? { ...delta, arguments: piece } : { type: 'tool-call', index: delta.index, arguments: piece },
      );
    case 'restart':
      return [{ ...delta, reason: delta.reason.slice(0, pieceLength) }];
    default:
      return piecesOf(delta.text).map((text) => ({ ...delta, text }));
  }
}

function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length || start === 0; start += pieceLength)
    pieces.push(text.slice(start, start + pieceLength));
  return pieces;
}
