import type { Event } from '@palimpsest/events';
import { memoryEventStore } from '@palimpsest/events';
import type { EventStore } from '@palimpsest/events';
import { Boundary, HostSessions } from '@palimpsest/plugin-kit';
import type { HostRequest, HostSession } from '@palimpsest/plugin-kit';
import type { SessionRow, StepUsage } from './host.js';
import { Originals } from './originals.js';
import { sessionRows } from './rows.js';
import type { StoredConversation } from './session-files.js';

/** Claude Code replaces what works for 10 s on its own. Unit: milliseconds. */
const condenserTimeoutMs = 6_000;
const conversationId = 'conversation';

/** What a conversation is made with. */
export interface ConversationOptions {
  readonly preset?: 'balanced' | 'cheapest' | 'remembersMost' | 'noCache' | undefined;
  readonly hostVersion?: string | undefined;
}

/** One conversation of Claude Code: that of the person, or a sub-agent's. */
export class Conversation {
  readonly boundary = new Boundary();
  readonly #options: ConversationOptions;
  #store!: EventStore;
  #session!: HostSession<SessionRow>;
  #originals!: Originals;
  lostMedia: readonly string[] = [];
  /** Usages of answers, since the last list was read. */
  #usages: StepUsage[] = [];
  #stored: StoredConversation | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  /** Begins with what was stored, or with nothing. */
  async load(stored: StoredConversation | undefined): Promise<void> {
    const { preset, hostVersion } = this.#options;
    this.#stored = stored;
    this.#store = memoryEventStore();
    if (stored !== undefined && stored.events.length > 0) await this.#store.append(conversationId, stored.events);
    this.#originals = new Originals(stored?.rows, stored?.originals.answers);
    this.lostMedia = stored?.lostMedia ?? [];
    const sessions = new HostSessions<SessionRow>({
      ...{ codec: sessionRows(), store: this.#store, host: 'Claude Code', hostVersion, preset, condenserTimeoutMs },
    });
    this.#session = sessions.of(conversationId);
  }

  get session(): HostSession<SessionRow> {
    return this.#session;
  }

  get originals(): Originals {
    return this.#originals;
  }

  /** Takes note of what an answer has cost. */
  used(usage: StepUsage): void {
    this.#usages.push(usage);
  }

  /**
   * Tells the log what each answer has cost since the last list. The rows do not say to which request an answer belongs, but the last
   * answers belong to the last requests.
   */
  async account(list: readonly SessionRow[], request: HostRequest): Promise<void> {
    const usages = this.#usages.splice(0);
    const starts = answerStarts(list);
    const count = Math.min(usages.length, starts.length);
    for (let back = count; back > 0; back--) {
      const start = starts[starts.length - back] ?? 0;
      await this.#session.fit(list.slice(0, start), { ...request, mayCondense: false });
      await this.#session.used(usages[usages.length - back]);
    }
  }

  /** Forgets what was decided since the conversation was last stored: the engine was not told of it. */
  async takeBack(): Promise<void> {
    await this.load(this.#stored);
  }

  /** What is to be stored. */
  async toStore(): Promise<StoredConversation> {
    const events: Event[] = [];
    for await (const event of this.#store.read(conversationId)) events.push(event);
    this.#stored = { originals: this.#originals.state, rows: this.#originals.rows, events, lostMedia: this.lostMedia };
    return this.#stored;
  }
}

/** The places at which an answer of the model begins. */
function answerStarts(list: readonly SessionRow[]): readonly number[] {
  return list.flatMap(({ role }, place) => (role === 'assistant' && list[place - 1]?.role !== 'assistant' ? [place] : []));
}
