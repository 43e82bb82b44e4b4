import type { Event, EventStore } from '@palimpsest/events';
import { memoryEventStore } from '@palimpsest/events';
import { Boundary, HostSessions } from '@palimpsest/plugin-kit';
import type { BoundaryState, HostRequest, HostSession, UserOptions } from '@palimpsest/plugin-kit';
import type { Failures } from './failures.js';
import type { SessionRow, StepUsage } from './host.js';
import { Originals } from './originals.js';
import { sessionRows } from './rows.js';
import type { StoredConversation } from './session-files.js';

/** Claude Code replaces what works for 10 s on its own. Unit: milliseconds. */
const condenserTimeoutMs = 6_000;
const conversationId = 'conversation';

/** The options of a conversation. */
export interface ConversationOptions {
  readonly preset?: UserOptions['preset'];
  readonly problems?: UserOptions['problems'] | undefined;
  readonly hostVersion?: string | undefined;
}

/** One conversation of Claude Code: that of the person, or a sub-agent's. */
export class Conversation {
  /** What fails outside of the session: our own code, and what hangs so long that Claude Code replaces us. */
  readonly boundary: Boundary;
  readonly #options: ConversationOptions;
  #store!: EventStore;
  #session!: HostSession<SessionRow>;
  #originals!: Originals;
  lostMedia: readonly string[] = [];
  /** What was said of the last list that was read. */
  request: HostRequest = {};
  readonly #failed: BoundaryState | undefined;
  #stored: StoredConversation | undefined;

  constructor(options: ConversationOptions, failures?: Failures) {
    this.#options = options;
    this.boundary = new Boundary(failures?.own);
    this.#failed = failures?.session;
  }

  /** Begins with what was stored, or with nothing. */
  async load(stored: StoredConversation | undefined, boundary = this.#failed): Promise<void> {
    const { preset, problems, hostVersion } = this.#options;
    this.#stored = stored;
    this.#store = memoryEventStore();
    if (stored !== undefined && stored.events.length > 0) await this.#store.append(conversationId, stored.events);
    this.#originals = new Originals(stored?.rows, stored?.originals.answers);
    this.lostMedia = stored?.lostMedia ?? [];
    const sessions = new HostSessions<SessionRow>({
      ...{
        codec: sessionRows(),
        store: this.#store,
        host: 'Claude Code',
        hostVersion,
        preset,
        problems,
        condenserTimeoutMs,
      },
    });
    this.#session = sessions.of(conversationId, boundary);
  }

  get session(): HostSession<SessionRow> {
    return this.#session;
  }

  /** What failed, to be stored. */
  get failures(): Failures {
    return { own: this.boundary.state, session: this.#session.boundary };
  }

  /** What is wrong now. Undefined if nothing is. */
  get problem(): string | undefined {
    return this.boundary.problem ?? this.#session.problem;
  }

  get originals(): Originals {
    return this.#originals;
  }

  /**
   * Tells the log what each answer has cost since the last list. The rows do not say to which request an answer belongs, but the last
   * answers belong to the last requests.
   */
  async account(list: readonly SessionRow[], usages: readonly StepUsage[]): Promise<void> {
    const starts = answerStarts(list);
    const count = Math.min(usages.length, starts.length);
    for (let back = count; back > 0; back--) {
      const start = starts[starts.length - back] ?? 0;
      await this.#session.fit(list.slice(0, start), { ...this.request, condense: false });
      await this.#session.used(usages[usages.length - back]);
    }
  }

  /** Reads the rows as they are now, so that what is said of them is true. */
  async refresh(rows: readonly SessionRow[], usages: readonly StepUsage[]): Promise<void> {
    const list = this.#originals.listOf(rows);
    await this.account(list, usages);
    await this.#session.fit(list, { ...this.request, condense: false });
  }

  /** Answers the recall tool, from the originals of our last answer. */
  async recall(input: unknown): Promise<{ readonly text: string; readonly isError: boolean }> {
    if (this.#session.newest === undefined) await this.#session.fit(this.#originals.last, { condense: false });
    const { content, isError } = await this.#session.recall(input);
    const text = content.map((part) => (part.type === 'text' ? String(part.text) : `[${part.type}]`)).join('\n');
    return { text, isError };
  }

  /** Remembers the state, for {@link Conversation.takeBack}. */
  async hold(): Promise<void> {
    await this.toStore();
  }

  /** Forgets what was decided since the state was remembered: the engine was not told of it. */
  async takeBack(): Promise<void> {
    const { boundary } = this.#session;
    await this.load(this.#stored, boundary);
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
  return list.flatMap(({ role }, place) =>
    role === 'assistant' && list[place - 1]?.role !== 'assistant' ? [place] : [],
  );
}
