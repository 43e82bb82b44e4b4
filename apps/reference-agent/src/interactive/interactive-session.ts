import { dirname } from 'node:path';
import type { Conversation } from '@palimpsest/agent';
import type { Event } from '@palimpsest/events';
import type { Delta, FailedAttempt } from '@palimpsest/llm-adapters';
import type { CommandSurroundings } from '../command-surroundings.js';
import type { RunEnding } from '../headless/run-ending.js';
import type { OpenedSession } from '../open-session.js';
import type { RunFlags } from '../run-flags.js';
import type { ListedSession } from '../sessions/session-list.js';
import type { ApprovalAnswer } from './approval.js';
import type { FileDiff } from './file-diff.js';
import type {
  LoggedEvent,
  QueuedMessage,
  SessionEvent,
  SessionListener,
  SessionState,
  WorkPhase,
} from './session-event.js';
import { WorkPhases } from './work-phases.js';
import type { WorkingSession } from './working-session.js';

/** What an {@link InteractiveSession} works with. */
export interface InteractiveOptions {
  /** The session to go on with. @defaultValue a new one */
  readonly session?: ListedSession | undefined;
  readonly flags: RunFlags;
  readonly surroundings: CommandSurroundings;
}

/** What to open in the place of the open session. */
export interface SwitchTarget {
  /** `same`: the open one, with other flags. `new`: one without events. */
  readonly session: ListedSession | 'same' | 'new';
  /** In place of those of the command line, and kept from then on: `model` and `baseUrl`, for instance. */
  readonly flags?: Partial<RunFlags>;
}

/** Work on a conversation that is none of the agent's steps, such as a condensation that the user asks for. */
export type OwnWork<Result> = (conversation: Conversation, signal: AbortSignal) => Promise<Result>;

/**
 * An agent that a user talks to. It holds the open session, sends what the user types at the next step, has calls answered, and
 * tells all of it. It knows no terminal: screens observe it.
 *
 * Methods return at once unless they return a promise; what comes of them is told. What the user can do something about is a
 * notice, and never an exception, unless a method says so.
 */
export class InteractiveSession {
  readonly surroundings: CommandSurroundings;
  readonly #listeners = new Set<SessionListener>();
  #flags: RunFlags;
  #found: ListedSession | undefined;
  #working: WorkingSession | undefined;
  #state: SessionState = { type: 'opening' };
  #queue: readonly QueuedMessage[] = [];
  #nextId = 1;
  /** The queue waits for the user: after an interrupt, and after a failure. */
  #isHeld = false;
  /** There is something to do without a message. */
  #goesOn = false;
  /** The work that is under way: one at a time. It never rejects. */
  #underWay: Promise<void> | undefined;
  #interruption = new AbortController();
  /** Answers are given one after another. */
  #answered: Promise<void> = Promise.resolve();
  /** Ends the wait for the answer of another process. */
  #wait = new AbortController();
  #opening: Promise<boolean> = Promise.resolve(false);
  #switched: Promise<void> = Promise.resolve();
  /** Nothing new begins: another session is opened, or none. */
  #isLeaving = false;
  #closed: Promise<void> | undefined;
  /** Rules that answers have made, by the folder for which they hold. */
  readonly #rules = new Map<string, readonly string[]>();
  readonly #phases = new WorkPhases();
  #isBehind = false;

  constructor({ session, flags, surroundings }: InteractiveOptions) {
    this.#found = session;
    this.#flags = flags;
    this.surroundings = surroundings;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Messages that were not sent yet, the first to be sent first. */
  get queue(): readonly QueuedMessage[] {
    return this.#queue;
  }

  /** Undefined until it is open, and where it could not be opened. */
  get opened(): OpenedSession | undefined {
    return this.#working?.opened;
  }

  /** The options of the command line, with what was switched since. */
  get flags(): RunFlags {
    return this.#flags;
  }

  /** The rules of answers that hold in this folder until the program ends. */
  get sessionRules(): readonly string[] {
    return this.#rules.get(this.opened?.workspace.root ?? '') ?? noRules;
  }

  /** Calls the listener with everything from now on. Returns the function that ends it. */
  observe(listener: SessionListener): () => void {
    const own: SessionListener = (event) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Opens the session. Call it once, when the screen is there. */
  async start(): Promise<void> {
    await this.#open();
    this.#drive();
  }

  /**
   * Takes a message. It is sent at once, or, while the agent works, at its next step; until then it can be taken back. Blanks alone are
   * no message. A session that could not be opened is opened anew: what kept it from that may be gone.
   */
  send(text: string): void {
    if (text.trim() === '' || this.#closed !== undefined) return;
    this.#isHeld = false;
    this.#setQueue([...this.#queue, { id: this.#nextId++, text }]);
    if (this.#state.type === 'unusable') this.#reopen();
    this.#askForStep();
    this.#drive();
  }

  /** Takes the newest message of the queue back, or the one of this id. Undefined if there is none any more. */
  withdraw(id: number | undefined = this.#queue.at(-1)?.id): string | undefined {
    const message = this.#queue.find((each) => each.id === id);
    if (message === undefined) return undefined;
    this.#setQueue(this.#queue.filter((each) => each !== message));
    return message.text;
  }

  /** Goes on without a message where the work was interrupted or failed. Where there is nothing to go on with, nothing happens. */
  goOn(): void {
    this.#isHeld = false;
    this.#goesOn = this.opened?.conversation.events.slice().some(isOfUser) === true;
    this.#drive();
  }

  /**
   * Interrupts what is under way at once: the model, tools, a pause before a retry, a condensation. Calls that wait are denied. The
   * agent then waits for the user, and messages of the queue do as well, until the next one is sent.
   */
  interrupt(): void {
    if (this.#state.type === 'waiting') {
      this.#isHeld = true;
      void this.#inTurn(() => this.#denyAll(), { goOn: false });
    } else if (this.#state.type === 'working' && !this.#interruption.signal.aborted) {
      this.#isHeld = true;
      this.#setState({ ...this.#state, isInterrupted: true });
      this.#interruption.abort(new Error('The user interrupted the run.'));
    }
  }

  /**
   * Answers calls that wait: some of them, or all. When none waits any more, the agent goes on. A call that somebody else has answered
   * meanwhile is passed over.
   *
   * @throws {@link PermissionRuleError} when the rule cannot be read, {@link InvalidSettingsError} when it cannot be kept: nothing is
   *   answered then.
   */
  async answer(ids: readonly string[], answer: ApprovalAnswer): Promise<void> {
    const working = this.#working;
    if (working === undefined || this.#state.type !== 'waiting') return;
    const { conversation, permitted, workspace } = working.opened;
    const { type } = answer;
    if (type === 'session' || type === 'rule') permitted.check(answer.rule);
    if (type === 'rule') await working.keep(answer.rule);
    await this.#inTurn(async () => {
      if (type === 'no') await conversation.reject(answer.reason, { actions: ids });
      else await conversation.confirm({ actions: ids });
      if (type === 'session' || type === 'rule') {
        this.#rules.set(workspace.root, [...(this.#rules.get(workspace.root) ?? []), answer.rule]);
      }
    });
  }

  /** What a call has changed in a file; undefined if it changed none. */
  async diffOf(actionId: string): Promise<FileDiff | undefined> {
    return this.#working?.diffOf(actionId);
  }

  /**
   * Does work on the conversation that is no step of the agent, such as a condensation; `interrupt` aborts it. Undefined if it was
   * interrupted, if the agent is at work, or if the work failed, which is told.
   */
  async work<Result>(work: OwnWork<Result>): Promise<Result | undefined> {
    const working = this.#working;
    if (working === undefined || this.#underWay !== undefined || this.#isLeaving) return undefined;
    let result: Result | undefined;
    await this.#begin('condensing', async (signal) => {
      result = await work(working.opened.conversation, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        return undefined;
      });
    });
    return result;
  }

  /**
   * Opens another session, or the same one with another model. What is under way is interrupted, and all that tools have started ends. If
   * it cannot be opened, that is told, and what was open is opened again.
   */
  switchTo(target: SwitchTarget): Promise<void> {
    this.#switched = this.#switched.then(() => this.#switchTo(target));
    return this.#switched;
  }

  /** Interrupts what is under way, ends all that tools have started, and tells `closed`. Calls that wait go on waiting in the log. */
  close(): Promise<void> {
    this.#closed ??= this.#leave().finally(() => this.#setState({ type: 'closed' }));
    return this.#closed;
  }

  async #switchTo({ session, flags }: SwitchTarget): Promise<void> {
    const before = { found: await this.#same(), flags: this.#flags, wasOpen: this.#working !== undefined };
    const root = this.opened?.workspace.root;
    if (session !== 'same') this.#isHeld = true;
    await this.#leave();
    // A session has a folder of its own, and a new one begins where the old one was.
    const folder = session === 'same' ? {} : session === 'new' ? { cwd: root ?? this.#flags.cwd } : { cwd: undefined };
    this.#found = session === 'same' ? before.found : session === 'new' ? undefined : session;
    this.#flags = withoutUndefined({ ...this.#flags, ...folder, ...flags });
    if (!(await this.#open()) && before.wasOpen) {
      this.#found = before.found;
      this.#flags = before.flags;
      await this.#open();
    }
    this.#drive();
  }

  /** The message that asks for it stands in the queue, and is sent if the session can be opened now. */
  #reopen(): void {
    this.#switched = this.#switched.then(async () => {
      if (this.#state.type !== 'unusable') return;
      await this.#open();
      this.#drive();
    });
  }

  /** True if it is open now. What keeps it from being opened is told. */
  #open(): Promise<boolean> {
    this.#opening = this.#opened();
    return this.#opening;
  }

  async #opened(): Promise<boolean> {
    if (this.#isClosed) return false;
    this.#setState({ type: 'opening' });
    try {
      const { openWorkingSession } = await import('./working-session.js');
      const working = await openWorkingSession(this.#found, this.#flags, this.surroundings, {
        isInteractive: true,
        answers: (folder) => this.#rules.get(folder) ?? noRules,
        onLogged: (logged) => this.#logged(logged),
        onDelta: (delta) => this.#delta(delta),
        onDiff: (action, diff) => this.#tell({ type: 'diff', action, diff }),
        onRetry: (failure) => this.#retry(failure),
        onModelCall: (purpose, change) => this.#modelCall(purpose, change),
        mcpListener: {
          onNote: (text) => this.#notice('info', text),
          onPending: (waitsFor) => {
            if (this.#state.type === 'opening') this.#setState({ type: 'opening', waitsFor });
          },
        },
      });
      this.#working = working;
      this.#phases.forgetCalls();
      this.#isLeaving = this.#isClosed;
      if (this.#isClosed) return false;
      this.#tell({ type: 'opened', init: working.init, history: working.history });
      await this.#settle(working);
      return true;
    } catch (error) {
      const problem = await problemIn(error);
      this.#isLeaving = this.#isClosed;
      if (!this.#isClosed) this.#setState({ type: 'unusable', problem });
      this.#notice('problem', problem);
      return false;
    }
  }

  /** Ends what is under way, and closes what is open. */
  async #leave(): Promise<void> {
    this.#isLeaving = true;
    this.#goesOn = false;
    this.#wait.abort();
    this.#interruption.abort(new Error('The session was left.'));
    await this.#opening;
    await this.#underWay;
    await this.#answered;
    this.#wait.abort();
    const working = this.#working;
    this.#working = undefined;
    await working?.opened.close();
  }

  /** The session that is open, to be opened again: undefined if it has not begun. */
  async #same(): Promise<ListedSession | undefined> {
    const { session, conversation, workspace } = this.opened ?? {};
    if (session === undefined || conversation?.events.length === 0) return this.#found;
    const { findSession } = await import('../sessions/session-list.js');
    return findSession(dirname(session.folder), { id: session.id, workspace: workspace?.root ?? '' });
  }

  /** Goes to work, if there is something to do and nothing is in the way. */
  #drive(): void {
    const working = this.#working;
    if (working === undefined || this.#isLeaving || this.#underWay !== undefined || !this.#hasWork) return;
    if (working.opened.conversation.waitingActions.length > 0) return;
    void this.#begin('asking', (signal) => this.#workOn(working, signal));
  }

  get #hasWork(): boolean {
    return this.#goesOn || (this.#queue.length > 0 && !this.#isHeld);
  }

  /** Works, and then waits for the user, or goes on with what has come meanwhile. */
  #begin(phase: WorkPhase, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#wait.abort();
    this.#interruption = new AbortController();
    const { signal } = this.#interruption;
    this.#phases.begin(phase);
    this.#setState({ type: 'working', phase, isInterrupted: false });
    const done = this.#told(() => work(signal))
      .then(() => this.#told(() => this.#afterWork(signal)))
      .then(() => {
        this.#underWay = undefined;
        this.#drive();
      });
    this.#underWay = done;
    return done;
  }

  async #workOn(working: WorkingSession, signal: AbortSignal): Promise<void> {
    const { conversation } = working.opened;
    while (this.#hasWork && !signal.aborted && conversation.waitingActions.length === 0) {
      this.#goesOn = false;
      await this.#sendQueue(working);
      this.#ended(await working.run(signal), signal);
    }
  }

  /** A message leaves the queue before it is sent, so that it cannot be taken back then, and returns if it could not be sent. */
  async #sendQueue(working: WorkingSession): Promise<void> {
    for (let [next, ...rest] = this.#queue; next !== undefined && !this.#isHeld; [next, ...rest] = this.#queue) {
      this.#setQueue(rest);
      try {
        await working.send(next.text);
      } catch (error) {
        this.#setQueue([next, ...this.#queue]);
        throw error;
      }
    }
  }

  #ended({ status, error }: RunEnding, signal: AbortSignal): void {
    // It ended at its step for what is in the queue, or was in it and has been taken back.
    if (status === 'interrupted' && !signal.aborted) this.#goesOn = true;
    if (error === undefined) return;
    this.#isHeld = true;
    this.#notice('problem', error.message);
  }

  /** Calls that came to wait while the user interrupted are denied. */
  async #afterWork(signal: AbortSignal): Promise<void> {
    const working = this.#working;
    if (working === undefined || this.#isLeaving) return;
    const { conversation } = working.opened;
    if (signal.aborted && conversation.waitingActions.length > 0) await this.#denyAll();
    await this.#settle(working);
  }

  async #denyAll(): Promise<void> {
    await this.#working?.opened.conversation.reject('The user interrupted the run.');
  }

  /** Tells what the session does when nothing is under way: it waits for an answer, or for a message. */
  async #settle(working: WorkingSession): Promise<void> {
    this.#wait.abort();
    const approvals = await working.approvals();
    if (this.#isLeaving) return;
    if (approvals.length > 0) this.#setState({ type: 'waiting', approvals });
    // Whoever settles goes on: nothing is told of a moment between two messages.
    else if (!this.#hasWork) this.#setState({ type: 'idle' });
    // A summary in the making goes on behind.
    this.#showPhase();
    if (approvals.length === 0) return;
    this.#wait = new AbortController();
    const { signal } = this.#wait;
    // Another process may answer, too.
    void working.opened.conversation.answered({ signal }).then(
      () => this.#inTurn(async () => undefined),
      () => undefined,
    );
  }

  /** Answers, one answer after another, and goes on if that was the last one that was waited for. */
  #inTurn(answer: () => Promise<void>, { goOn = true } = {}): Promise<void> {
    this.#answered = this.#answered.then(() =>
      this.#told(async () => {
        const working = this.#working;
        if (working === undefined || this.#state.type !== 'waiting' || this.#isLeaving) return;
        await answer();
        const isDone = working.opened.conversation.waitingActions.length === 0;
        if (isDone && goOn) this.#goesOn = true;
        else await this.#settle(working);
        // A message may have come while calls were denied.
        this.#drive();
      }),
    );
    return this.#answered;
  }

  /** The run ends after its present step, so that what is in the queue is read with the next one. */
  #askForStep(): void {
    if (this.#queue.length > 0 && !this.#isHeld && this.#underWay !== undefined) this.opened?.conversation.pause();
  }

  #logged(logged: LoggedEvent): void {
    // A message may have come when the run had not begun.
    this.#askForStep();
    this.#tell({ type: 'logged', ...logged });
    this.#phases.logged(logged);
    this.#showPhase();
  }

  #delta(delta: Delta): void {
    this.#phases.delta(delta);
    this.#showPhase();
    this.#tell({ type: 'delta', delta });
  }

  #retry({ error, ...retry }: FailedAttempt): void {
    this.#phases.retried();
    this.#showPhase();
    this.#tell({ type: 'retry', ...retry, error: error.message });
  }

  #modelCall(purpose: 'agent' | 'condenser', change: 1 | -1): void {
    this.#phases.modelCall(purpose, change);
    this.#showPhase();
  }

  #showPhase(): void {
    const { phase, isCondensingBehind } = this.#phases.shown(this.#state.type === 'working');
    if (isCondensingBehind !== this.#isBehind) this.#tell({ type: 'background', isCondensing: isCondensingBehind });
    this.#isBehind = isCondensingBehind;
    if (this.#state.type === 'working' && this.#state.phase !== phase) this.#setState({ ...this.#state, phase });
  }

  #setState(state: SessionState): void {
    this.#state = state;
    this.#tell({ type: 'state', state });
  }

  #setQueue(queue: readonly QueuedMessage[]): void {
    this.#queue = queue;
    this.#tell({ type: 'queue', queue });
  }

  #notice(level: 'info' | 'problem', text: string): void {
    this.#tell({ type: 'notice', level, text });
  }

  #tell(event: SessionEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  get #isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** Does it, and tells what goes wrong. Never rejects. */
  async #told(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#isHeld = true;
      this.#notice('problem', await problemIn(error));
    }
  }
}

function isOfUser({ type, source }: Event): boolean {
  return type === 'message' && source === 'user';
}

const noRules: readonly string[] = [];

async function problemIn(error: unknown): Promise<string> {
  const { problemInWords } = await import('../problem.js');
  return problemInWords(error);
}

function withoutUndefined(flags: { readonly [Name in keyof RunFlags]: RunFlags[Name] | undefined }): RunFlags {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)) as unknown as RunFlags;
}
