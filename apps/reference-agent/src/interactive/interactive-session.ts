import type { Conversation } from '@palimpsest/agent';
import type { Delta, FailedAttempt } from '@palimpsest/llm-adapters';
import type { CommandSurroundings } from '../command-surroundings.js';
import type { RunEnding } from '../headless/run-ending.js';
import type { OpenedSession } from '../open-session.js';
import type { RunFlags } from '../run-flags.js';
import type { ListedSession } from '../sessions/session-list.js';
import type { ApprovalAnswer } from './approval.js';
import type {
  LoggedEvent,
  QueuedMessage,
  SessionEvent,
  SessionListener,
  SessionState,
  WorkPhase,
} from './session-event.js';
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
  readonly #surroundings: CommandSurroundings;
  #flags: RunFlags;
  #found: ListedSession | undefined;
  #working: WorkingSession | undefined;
  readonly #listeners = new Set<SessionListener>();
  #state: SessionState = { type: 'opening' };
  #queue: readonly QueuedMessage[] = [];
  #nextId = 1;
  /** The queue waits for the user: after an interrupt, and after a failure. */
  #isHeld = false;
  /** There is something to do without a message. */
  #goesOn = false;
  /** What is under way, and ends by itself or by `#interruption`. */
  #underWay: Promise<void> | undefined;
  #interruption = new AbortController();
  #phase: WorkPhase = 'asking';
  #agentCalls = 0;
  #condenserCalls = 0;
  #closed: Promise<void> | undefined;
  /** Ends what waits for the answer of another process. */
  #waiting: AbortController | undefined;

  constructor({ session, flags, surroundings }: InteractiveOptions) {
    this.#found = session;
    this.#flags = flags;
    this.#surroundings = surroundings;
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

  get surroundings(): CommandSurroundings {
    return this.#surroundings;
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
   * Takes a message. It is sent at once, or, while the agent works, at its next step. Until then it can be taken back.
   * Blanks alone are no message.
   */
  send(text: string): void {
    if (text.trim() === '') return;
    this.#setQueue([...this.#queue, { id: this.#nextId++, text }]);
    this.#isHeld = false;
    if (this.#state.type === 'unusable') this.#notice('problem', this.#state.problem);
    if (this.#state.type === 'working') this.#working?.opened.conversation.pause();
    this.#drive();
  }

  /** Takes the newest message of the queue back, or the one of this id. Undefined if there is none any more. */
  withdraw(id: number | undefined = this.#queue.at(-1)?.id): string | undefined {
    const message = this.#queue.find((each) => each.id === id);
    if (message === undefined) return undefined;
    this.#setQueue(this.#queue.filter((each) => each !== message));
    return message.text;
  }

  /** Goes on without a message where the work was interrupted. Without such work it does nothing. */
  goOn(): void {
    this.#isHeld = false;
    this.#goesOn = true;
    this.#drive();
  }

  /**
   * Interrupts what is under way at once: the model, tools, a pause before a retry, a condensation. Calls that wait are denied.
   * The agent then waits for the user, and messages of the queue do as well.
   */
  interrupt(): void {
    if (this.#state.type === 'waiting') {
      const ids = this.#state.approvals.map(({ id }) => id);
      this.#isHeld = true;
      void this.answer(ids, { type: 'no', reason: 'The user interrupted the run.' }, { goOn: false });
    } else if (this.#state.type === 'working') {
      this.#isHeld = true;
      this.#setState({ ...this.#state, isInterrupted: true });
      this.#interruption.abort(new Error('The user interrupted the run.'));
    }
  }

  /**
   * Answers calls that wait: some of them, or all. When none waits any more, the agent goes on. A call that somebody else has
   * answered meanwhile is passed over.
   *
   * @throws {@link PermissionRuleError} when the rule cannot be read: nothing is answered then.
   */
  async answer(
    ids: readonly string[],
    answer: ApprovalAnswer,
    { goOn = true }: { readonly goOn?: boolean } = {},
  ): Promise<void> {
    const { conversation } = this.#working?.opened ?? {};
    if (conversation === undefined) return;
    await this.#told(async () => {
      if (answer.type === 'no') await conversation.reject(answer.reason);
      else await conversation.confirm({ actions: ids });
      this.#afterAnswers(goOn);
    });
  }

  /** Does work of its own on the conversation when the agent has nothing to do; `interrupt` aborts it. Undefined if it was. */
  async work<Result>(work: OwnWork<Result>): Promise<Result | undefined> {
    const { conversation } = this.#working?.opened ?? {};
    if (conversation === undefined || this.#underWay !== undefined) return undefined;
    const { signal } = this.#beginWork('condensing');
    let result: Result | undefined;
    this.#underWay = this.#told(async () => {
      result = await work(conversation, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        return undefined;
      });
    }).finally(() => {
      this.#underWay = undefined;
      this.#settle();
      this.#drive();
    });
    await this.#underWay;
    return result;
  }

  /** Opens another session, or the same one with another model. If that fails, what was open is opened again. */
  async switchTo({ session, flags }: SwitchTarget): Promise<void> {
    const before = { found: this.#found, flags: this.#flags };
    await this.#leave();
    if (this.#closed !== undefined) return;
    const same = await this.#listed();
    this.#found = session === 'same' ? same : session === 'new' ? undefined : session;
    this.#flags = { ...this.#flags, ...flags };
    if (!(await this.#open()) && before !== undefined && this.#canReopen) {
      this.#found = same;
      this.#flags = before.flags;
      await this.#open();
    }
    this.#drive();
  }

  /** Interrupts what is under way, ends all that tools have started, and tells `closed`. */
  close(): Promise<void> {
    this.#closed ??= this.#leave().then(() => this.#setState({ type: 'closed' }));
    return this.#closed;
  }

  #canReopen = false;

  /** True if it is open now. */
  async #open(): Promise<boolean> {
    this.#setState({ type: 'opening' });
    try {
      const { openWorkingSession } = await import('./working-session.js');
      const working = await openWorkingSession(this.#found, this.#flags, this.#surroundings, {
        onLogged: (logged) => this.#logged(logged),
        onDelta: (delta) => this.#delta(delta),
        onRetry: (failure) => this.#retry(failure),
        onModelCalls: (purpose, underWay) => this.#modelCalls(purpose, underWay),
      });
      if (this.#closed !== undefined) {
        await working.opened.close();
        return false;
      }
      this.#working = working;
      this.#canReopen = true;
      this.#tell({ type: 'opened', init: working.init, history: working.history });
      this.#settle();
      return true;
    } catch (error) {
      const problem = await problemIn(error);
      this.#setState({ type: 'unusable', problem });
      this.#notice('problem', problem);
      return false;
    }
  }

  /** Ends what is under way, and closes what is open. */
  async #leave(): Promise<void> {
    this.#isHeld = true;
    this.#goesOn = false;
    this.#waiting?.abort();
    this.#interruption.abort(new Error('The session was left.'));
    await this.#underWay;
    const working = this.#working;
    this.#working = undefined;
    await working?.opened.close();
  }

  async #listed(): Promise<ListedSession | undefined> {
    return this.#found;
  }

  /** Begins to work if there is something to do and nothing is under way. */
  #drive(): void {
    if (this.#underWay !== undefined || this.#working === undefined || this.#closed !== undefined) return;
    if (this.#state.type === 'waiting' || !this.#hasWork) return;
    const { signal } = this.#beginWork('asking');
    this.#underWay = this.#told(() => this.#workOn(signal)).finally(() => {
      this.#underWay = undefined;
      this.#settle();
      // What came at the last moment.
      this.#drive();
    });
  }

  get #hasWork(): boolean {
    return this.#goesOn || (this.#queue.length > 0 && !this.#isHeld);
  }

  #beginWork(phase: WorkPhase): AbortController {
    this.#interruption = new AbortController();
    this.#phase = phase;
    this.#setState({ type: 'working', phase, isInterrupted: false });
    return this.#interruption;
  }

  async #workOn(signal: AbortSignal): Promise<void> {
    const working = this.#working;
    if (working === undefined) return;
    while (this.#hasWork && !signal.aborted) {
      this.#goesOn = false;
      if (!this.#isHeld) await this.#sendQueue(working);
      this.#ended(await working.run(signal), signal);
      if (working.approvals().length > 0) return;
    }
  }

  /** A message leaves the queue before it is sent, so that it cannot be taken back then, and returns if it could not be sent. */
  async #sendQueue(working: WorkingSession): Promise<void> {
    for (let [next, ...rest] = this.#queue; next !== undefined; [next, ...rest] = this.#queue) {
      this.#setQueue(rest);
      try {
        await working.send(next.text);
      } catch (error) {
        this.#isHeld = true;
        this.#setQueue([next, ...this.#queue]);
        throw error;
      }
    }
  }

  #ended({ status, error }: RunEnding, signal: AbortSignal): void {
    // The run was paused for what is in the queue.
    if (status === 'interrupted' && !signal.aborted) this.#goesOn = true;
    if (error === undefined) return;
    this.#isHeld = true;
    this.#notice('problem', error.message);
  }

  #afterAnswers(goOn: boolean): void {
    this.#goesOn = goOn;
    this.#settle();
    this.#drive();
  }

  /** The state when nothing is under way. */
  #settle(): void {
    if (this.#working === undefined || this.#closed !== undefined || this.#underWay !== undefined) return;
    this.#waiting?.abort();
    const approvals = this.#working.approvals();
    if (approvals.length === 0) return this.#setState({ type: 'idle' });
    this.#setState({ type: 'waiting', approvals });
    this.#waiting = new AbortController();
    const { signal } = this.#waiting;
    // Another process may answer.
    void this.#working.opened.conversation.answered({ signal }).then(
      () => {
        if (this.#state.type === 'waiting') this.#afterAnswers(true);
      },
      () => undefined,
    );
  }

  #logged(logged: LoggedEvent): void {
    this.#tell({ type: 'logged', ...logged });
    const { type } = logged.event;
    if (type === 'action') this.#setPhase('tools');
  }

  #delta(delta: Delta): void {
    this.#setPhase(delta.type === 'restart' ? 'asking' : 'answering');
    this.#tell({ type: 'delta', delta });
  }

  #retry({ error, ...retry }: FailedAttempt): void {
    this.#setPhase('retrying');
    this.#tell({ type: 'retry', ...retry, error: error.message });
  }

  #modelCalls(purpose: 'agent' | 'condenser', underWay: number): void {
    if (purpose === 'agent') {
      this.#agentCalls = underWay;
      if (underWay > 0) this.#setPhase('asking');
      return;
    }
    if (underWay > 0 !== this.#condenserCalls > 0) this.#tell({ type: 'background', isCondensing: underWay > 0 });
    this.#condenserCalls = underWay;
    if (this.#agentCalls === 0 && underWay > 0 && this.#phase === 'asking') this.#setPhase('condensing');
    else if (underWay === 0 && this.#phase === 'condensing') this.#setPhase('asking');
  }

  #setPhase(phase: WorkPhase): void {
    this.#phase = phase;
    if (this.#state.type !== 'working' || this.#state.phase === phase) return;
    this.#setState({ ...this.#state, phase });
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

  /** Does it, and tells what the user can do something about. */
  async #told(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#notice('problem', await problemIn(error));
    }
  }
}

/** What to tell of an error. A defect is thrown again. */
async function problemIn(error: unknown): Promise<string> {
  const { problemOf } = await import('../problem.js');
  const problem = problemOf(error);
  if (problem === undefined) throw error;
  return problem.message;
}
