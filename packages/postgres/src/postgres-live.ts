import { assertConversationId } from '@palimpsest/events';
import type { Notification, PostgresClient, PostgresSession } from './client.js';
import { hashOf } from './hash.js';
import { LeasedSession } from './leased-session.js';
import { LiveOutbox } from './live-outbox.js';
import type { LiveDelta } from './live-outbox.js';

/** Options of {@link postgresLive}. */
export interface PostgresLiveOptions {
  /** Runs the statements that tell; the caller ends it. */
  readonly client: PostgresClient;
  /**
   * Opens the connection that listens, one for all conversations that are followed: `connectionsBeside(pool)` for `pg`. It must hand on
   * notifications, as `pg` does. @defaultValue this process tells, and does not listen
   */
  readonly connect?: () => Promise<PostgresSession>;
  /** The beginning of the names of the channels: all processes of a service have the same. @defaultValue 'palimpsest' */
  readonly channel?: string;
}

/** Who is told of a conversation. */
export interface LiveListener {
  /** Events may have been appended. */
  appended(): void;
  /** A piece of the answer in progress. */
  delta(delta: LiveDelta): void;
}

/**
 * Tells the followers of conversations, in all processes, of appends and of the answer in progress: the `live` of a store and of a
 * `Conversation` of `@palimpsest/agent`. A notification may get lost, so followers also look now and then.
 */
export interface PostgresLive {
  /** Tells that events were appended. Returns at once. */
  appended(conversationId: string, version: number): void;
  /** Tells a piece of the answer in progress. Returns at once. */
  delta(conversationId: string, delta: LiveDelta): void;
  /** Listens. `isLive` is false while the connection is not there. */
  subscribe(conversationId: string, listener: LiveListener): { readonly isLive: boolean; end(): void };
}

/** Returns the way between those who append to conversations and those who follow them, by `LISTEN` and `NOTIFY`. */
export function postgresLive({ client, connect, channel = 'palimpsest' }: PostgresLiveOptions): PostgresLive {
  const outbox = new LiveOutbox(client);
  const inbox = connect === undefined ? undefined : new LiveInbox(connect);
  // Followers of two conversations with one hash look a time too many.
  const channelOf = (conversationId: string) => `${channel}_${hashOf(conversationId).toString(16)}`;
  return {
    appended: (conversationId, version) => outbox.version(channelOf(conversationId), version),
    delta: (conversationId, delta) => outbox.delta(channelOf(conversationId), conversationId, delta),
    subscribe(conversationId, listener) {
      assertConversationId(conversationId);
      return (
        inbox?.subscribe(channelOf(conversationId), conversationId, listener) ?? { isLive: false, end: () => undefined }
      );
    },
  };
}

/** The times after which the connection shows life, and a silent server is given up. Unit: milliseconds. */
const leaseMs = 30_000;
/** The time until a lost connection is opened again. Unit: milliseconds. */
const retryMs = 1_000;

/** The connection that listens, while anybody does. */
class LiveInbox {
  readonly #connect: () => Promise<PostgresSession>;
  readonly #listeners = new Map<string, Set<Subscription>>();
  /** The channels that the present connection listens to. */
  #heard = new Set<string>();
  #session: LeasedSession | undefined;

  constructor(connect: () => Promise<PostgresSession>) {
    this.#connect = connect;
  }

  subscribe(
    channel: string,
    conversationId: string,
    listener: LiveListener,
  ): { readonly isLive: boolean; end(): void } {
    const listeners = this.#listeners.get(channel) ?? new Set();
    // Each subscription is one, also of the same listener.
    const own = { conversationId, listener };
    listeners.add(own);
    this.#listeners.set(channel, listeners);
    if (listeners.size === 1) this.#listen(channel);
    const isHeard = () => this.#heard.has(channel);
    return {
      get isLive() {
        return isHeard();
      },
      end: () => {
        if (!listeners.delete(own) || listeners.size > 0) return;
        this.#listeners.delete(channel);
        this.#unlisten(channel);
      },
    };
  }

  #listen(channel: string): void {
    const session = (this.#session ??= this.#open());
    session.query(`listen ${quoted(channel)}`).then(
      () => {
        if (session !== this.#session || !this.#listeners.has(channel)) return;
        this.#heard.add(channel);
        // What was appended before the server listened.
        for (const { listener } of this.#listeners.get(channel) ?? []) listener.appended();
      },
      () => session.lose(),
    );
  }

  #unlisten(channel: string): void {
    this.#heard.delete(channel);
    const session = this.#session;
    if (session === undefined) return;
    if (this.#listeners.size > 0) {
      void session.query(`unlisten ${quoted(channel)}`).catch(() => session.lose());
      return;
    }
    this.#session = undefined;
    // A pool may hand it to others.
    void session
      .query('unlisten *')
      .catch(() => session.lose())
      .then(() => session.giveBack());
  }

  #open(): LeasedSession {
    const connect = async () => {
      const session = await this.#connect();
      session.on?.('notification', (message: Notification) => this.#hear(message));
      session.unref?.();
      return session;
    };
    const session: LeasedSession = new LeasedSession(connect, leaseMs, { onLost: () => this.#reopen(session) });
    return session;
  }

  #reopen(lost: LeasedSession): void {
    void lost.giveBack();
    if (this.#session !== lost) return;
    this.#heard = new Set();
    this.#session = undefined;
    const timer = setTimeout(() => {
      if (this.#session !== undefined) return;
      for (const channel of this.#listeners.keys()) this.#listen(channel);
    }, retryMs);
    (timer as { unref?: () => void }).unref?.();
  }

  #hear({ channel, payload = '' }: Notification): void {
    const piece = /^\d+$/.test(payload) ? undefined : pieceOf(payload);
    for (const { conversationId, listener } of this.#listeners.get(channel) ?? []) {
      if (piece === undefined) listener.appended();
      // Another conversation may have the same channel.
      else if (piece.conversationId === conversationId) listener.delta(piece.delta);
    }
  }
}

interface Subscription {
  readonly conversationId: string;
  readonly listener: LiveListener;
}

/** Undefined if it is none: others may notify, too. */
function pieceOf(payload: string): { readonly conversationId: string; readonly delta: LiveDelta } | undefined {
  try {
    const [conversationId, delta] = JSON.parse(payload) as [string, LiveDelta];
    return ['text', 'thinking', 'tool-call', 'restart'].includes(delta.type) ? { conversationId, delta } : undefined;
  } catch {
    return undefined;
  }
}

function quoted(channel: string): string {
  return `"${channel.replaceAll('"', '""')}"`;
}
