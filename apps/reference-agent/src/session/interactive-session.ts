import { dirname } from 'node:path';
import { problemText } from '../context.js';
import type { CliContext, RunFlags } from '../context.js';
import type { FileDiff } from '@palimpsest/tools/diff';
import type { OpenedSession } from './open-session.js';
import { SessionListeners } from './session-events.js';
import type { ApprovalAnswer, QueuedMessage, SessionListener, SessionState } from './session-events.js';
import type { ListedSession } from './session.js';
import { Turns } from './turns.js';
import type { OwnWork } from './turns.js';

/** Options of {@link InteractiveSession}. */
export interface InteractiveOptions {
  /** The session to go on with. @defaultValue a new one */
  readonly session?: ListedSession | undefined;
  readonly flags: RunFlags;
  readonly surroundings: CliContext;
}

/** The session to open in the place of the open one. */
export interface SwitchTarget {
  /** `same`: the open one, with other flags. `new`: one without events. */
  readonly session: ListedSession | 'same' | 'new';
  /** In place of those of the command line, and kept from then on: `model` and `baseUrl`, for instance. */
  readonly flags?: Partial<RunFlags>;
}

/**
 * An agent that a user talks to. It holds the open session, sends what the user types at the next step, has calls answered, and
 * tells all of it. It knows no terminal: screens observe it.
 *
 * Methods return at once unless they return a promise; what comes of them is told. What the user can do something about is a
 * notice, and never an exception, unless a method says so.
 */
export class InteractiveSession {
  readonly surroundings: CliContext;
  readonly #listeners = new SessionListeners();
  readonly #turns = new Turns(this.#listeners);
  #flags: RunFlags;
  #found: ListedSession | undefined;
  #opening: Promise<boolean> = Promise.resolve(false);
  #switched: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor({ session, flags, surroundings }: InteractiveOptions) {
    this.#found = session;
    this.#flags = flags;
    this.surroundings = surroundings;
  }

  get state(): SessionState {
    return this.#listeners.state;
  }

  /** Messages that were not sent yet, the first to be sent first. */
  get queue(): readonly QueuedMessage[] {
    return this.#turns.queue;
  }

  /** Undefined until it is open, and where it could not be opened. */
  get opened(): OpenedSession | undefined {
    return this.#turns.working?.opened;
  }

  /** The options of the command line, with what was switched since. */
  get flags(): RunFlags {
    return this.#flags;
  }

  /** The rules of answers that hold in this folder until the program ends. */
  get sessionRules(): readonly string[] {
    return this.#turns.rulesOf(this.opened?.workspace.root ?? '');
  }

  /** Calls the listener with everything from now on. Returns the function that ends it. */
  observe(listener: SessionListener): () => void {
    return this.#listeners.observe(listener);
  }

  /** Opens the session. Call it once, when the screen is there. */
  async start(): Promise<void> {
    await this.#open();
    this.#turns.drive();
  }

  /**
   * Takes a message. It is sent at once, or, while the agent works, at its next step; until then it can be taken back. Blanks alone are
   * no message. A session that could not be opened is opened anew: what kept it from that may be gone.
   */
  send(text: string): void {
    if (text.trim() === '' || this.#closed !== undefined) return;
    this.#turns.send(text);
    if (this.state.type === 'unusable') this.#reopen();
  }

  /** Takes the newest message of the queue back, or the one of this id. Undefined if there is none any more. */
  withdraw(id?: number): string | undefined {
    return this.#turns.withdraw(id);
  }

  /** Goes on without a message where the work was interrupted or failed. Where there is nothing to go on with, nothing happens. */
  goOn(): void {
    this.#turns.goOn();
  }

  /**
   * Interrupts what is under way at once: the model, tools, a pause before a retry, a condensation. Calls that wait are denied. The
   * agent then waits for the user, and messages of the queue do as well, until the next one is sent.
   */
  interrupt(): void {
    this.#turns.interrupt();
  }

  /**
   * Answers calls that wait: some of them, or all. When none waits any more, the agent goes on. A call that somebody else has answered
   * meanwhile is passed over.
   *
   * @throws {@link PermissionRuleError} when the rule cannot be read, {@link InvalidSettingsError} when it cannot be kept: nothing is
   *   answered then.
   */
  answer(ids: readonly string[], answer: ApprovalAnswer): Promise<void> {
    return this.#turns.answer(ids, answer);
  }

  /** Returns the change of a file that a call made. Undefined if it changed none. */
  async diffOf(actionId: string): Promise<FileDiff | undefined> {
    return this.#turns.working?.diffOf(actionId);
  }

  /**
   * Does work on the conversation that is no step of the agent, such as a condensation; `interrupt` aborts it. Undefined if it was
   * interrupted, if the agent is at work, or if the work failed, which is told.
   */
  work<Result>(work: OwnWork<Result>): Promise<Result | undefined> {
    return this.#turns.work(work);
  }

  /**
   * Opens another session, or the same one with another model. What is under way is interrupted, and all that tools have started ends. If
   * it cannot be opened, that is told, and what was open is opened again.
   */
  switchTo(target: SwitchTarget): Promise<void> {
    this.#switched = this.#switched.then(() => this.#switchTo(target));
    return this.#switched;
  }

  /**
   * Interrupts what is under way, ends all that tools have started, and tells `closed`. Calls that wait go on waiting in the log. A summary
   * that is written in the background is waited for, unless the program is told to end, or until this is called again.
   */
  close(): Promise<void> {
    const { interrupts } = this.surroundings;
    const isCalledAgain = this.#closed !== undefined;
    this.#closed ??= this.#turns.leave(this.#opening).finally(() => this.#listeners.setState({ type: 'closed' }));
    if (isCalledAgain || interrupts.signal.aborted) this.#turns.interrupt();
    return this.#closed;
  }

  async #switchTo({ session, flags }: SwitchTarget): Promise<void> {
    const before = { found: await this.#same(), flags: this.#flags, wasOpen: this.opened !== undefined };
    const root = this.opened?.workspace.root;
    if (session !== 'same') this.#turns.hold();
    await this.#turns.leave(this.#opening);
    // A session has a folder of its own, and a new one begins where the old one was.
    const folder = session === 'same' ? {} : session === 'new' ? { cwd: root ?? this.#flags.cwd } : { cwd: undefined };
    this.#found = session === 'same' ? before.found : session === 'new' ? undefined : session;
    this.#flags = { ...this.#flags, ...folder, ...flags };
    if (!(await this.#open()) && before.wasOpen) {
      this.#found = before.found;
      this.#flags = before.flags;
      await this.#open();
    }
    this.#turns.drive();
  }

  /** The message that asks for it stands in the queue, and is sent if the session can be opened now. */
  #reopen(): void {
    this.#switched = this.#switched.then(async () => {
      if (this.state.type !== 'unusable') return;
      await this.#open();
      this.#turns.drive();
    });
  }

  /** Resolves to true if it is open now. A problem that keeps it from being opened is reported. */
  #open(): Promise<boolean> {
    this.#opening = this.#opened();
    return this.#opening;
  }

  async #opened(): Promise<boolean> {
    if (this.#isClosed) return false;
    this.#listeners.setState({ type: 'opening' });
    try {
      const { openWorkingSession } = await import('./working-session.js');
      const working = await openWorkingSession(this.#found, this.#flags, this.surroundings, {
        isInteractive: true,
        ...this.#turns.callbacks,
        onDiff: (action, diff) => this.#listeners.report({ type: 'diff', action, diff }),
        onNote: (text) => this.#listeners.notice('info', text),
        onPending: (waitsFor) => {
          if (this.state.type === 'opening') this.#listeners.setState({ type: 'opening', waitsFor });
        },
      });
      this.#turns.enter(working, { isLeaving: this.#isClosed });
      if (this.#isClosed) return false;
      this.#listeners.report({ type: 'opened', init: working.init, history: working.history });
      await this.#turns.settle(working);
      return true;
    } catch (error) {
      const problem = problemText(error);
      this.#turns.enter(undefined, { isLeaving: this.#isClosed });
      if (!this.#isClosed) this.#listeners.setState({ type: 'unusable', problem });
      this.#listeners.notice('problem', problem);
      return false;
    }
  }

  /** The session that is open, to be opened again: undefined if it has not begun. */
  async #same(): Promise<ListedSession | undefined> {
    const { session, conversation, workspace } = this.opened ?? {};
    if (session === undefined || conversation?.events.length === 0) return this.#found;
    const { findSession } = await import('./session.js');
    return findSession(dirname(session.folder), { id: session.id, workspace: workspace?.root ?? '' });
  }

  get #isClosed(): boolean {
    return this.#closed !== undefined;
  }
}
