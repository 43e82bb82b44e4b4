import type { PresetName } from '@palimpsest/condensers';
import type { EventStore } from '@palimpsest/events';
import { condensedHistory } from '@palimpsest/messages';
import type { Codec, CondensedHistory, CondensedHistoryOptions } from '@palimpsest/messages';
import type { Condenser } from '@palimpsest/view';
import type { BoundaryState } from './boundary.js';
import { condenserOf } from './condenser.js';
import { HostSession } from './host-session.js';
import type { HostName } from './tested-versions.js';

/** Options of {@link HostSessions}. */
export interface HostSessionsOptions<Message> {
  /** The messages of the host. */
  readonly codec: Codec<Message>;
  /** Keeps what a restart has to know: condensations, not texts. */
  readonly store: EventStore;
  readonly host: HostName;
  /** @defaultValue unknown */
  readonly hostVersion?: string | undefined;
  /** @defaultValue balanced */
  readonly preset?: PresetName | undefined;
  /** The most that a request may hold, where that is less than the model's window. Unit: tokens. @defaultValue the window */
  readonly maxTokens?: number | undefined;
  /** A condenser that has not decided by then is given up. Unit: milliseconds. @defaultValue 10000 */
  readonly condenserTimeoutMs?: number | undefined;
  /** The treatment of thinking of answers that the plugin has not seen being made, as `condensedHistory` takes it. @defaultValue left-out */
  readonly unknownThinking?: CondensedHistoryOptions<Message>['unknownThinking'];
  /** What a user has set and cannot be used, in sentences. `/condensed` says them. @defaultValue none */
  readonly problems?: readonly string[] | undefined;
  /** False: lists go as they are, until a session is turned on. @defaultValue true */
  readonly isOn?: boolean | undefined;
}

/** The sessions of one host: each is a conversation, and its sub-agents are others. */
export class HostSessions<Message> {
  readonly #options: HostSessionsOptions<Message>;
  readonly #condenser: Condenser;
  readonly #history: CondensedHistory<Message>;
  readonly #sessions = new Map<string, HostSession<Message>>();

  constructor(options: HostSessionsOptions<Message>) {
    const { codec, store, preset = 'balanced', condenserTimeoutMs = 10_000, unknownThinking } = options;
    this.#options = options;
    this.#condenser = condenserOf(preset);
    this.#history = condensedHistory({ condenser: this.#condenser, codec, store, condenserTimeoutMs, unknownThinking });
  }

  /**
   * Returns the session of an id of the host. The same one for the same id.
   *
   * @param boundary - what its boundary remembered before the host started its plugin anew
   */
  of(id: string, boundary?: BoundaryState): HostSession<Message> {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const options = { ...this.#options, condenser: this.#condenser, boundary };
    const session = new HostSession<Message>(id, this.#history, options);
    this.#sessions.set(id, session);
    return session;
  }
}
