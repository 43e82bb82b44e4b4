import type { Conversation } from '@palimpsest/agent';
import type { Event } from '@palimpsest/events';
import { problemText } from '../context.js';
import { pendingSummary, summaryWaitInWords } from './pending-summary.js';
import type { RunEnding } from './run-to-end.js';
import type { ApprovalAnswer, QueuedMessage, SessionListeners, WorkPhase } from './session-events.js';
import { WorkPhases } from './work-phases.js';
import type { SessionCallbacks } from './open-session.js';
import type { WorkingSession } from './working-session.js';

/** Work on a conversation that is none of the agent's steps, such as a condensation that the user asks for. */
export type OwnWork<Result> = (conversation: Conversation, signal: AbortSignal) => Promise<Result>;

/**
 * The turns of the user and the agent: the queue of messages, runs, interrupts, and the answers to calls that wait. What the methods of
 * the same name promise stands at `InteractiveSession`.
 */
export class Turns {
  readonly #listeners: SessionListeners;
  #working: WorkingSession | undefined;
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
  /** Nothing new begins: another session is opened, or none. */
  #isLeaving = false;
  /** Rules that answers have made, by the folder for which they hold. */
  readonly #rules = new Map<string, readonly string[]>();
  readonly #phases: WorkPhases;

  constructor(listeners: SessionListeners) {
    this.#listeners = listeners;
    this.#phases = new WorkPhases(listeners);
  }

  get working(): WorkingSession | undefined {
    return this.#working;
  }

  /** Messages that were not sent yet, the first to be sent first. */
  get queue(): readonly QueuedMessage[] {
    return this.#queue;
  }

  /** Returns the rules of answers that hold in a folder until the program ends. */
  rulesOf(folder: string): readonly string[] {
    return this.#rules.get(folder) ?? noRules;
  }

  /** The callbacks by which an open session reports its work. */
  get callbacks(): Pick<SessionCallbacks, 'answers' | 'onLogged' | 'onDelta' | 'onRetry' | 'onModelCall'> {
    return {
      answers: (folder) => this.rulesOf(folder),
      onLogged: (logged) => {
        // A message may have come when the run had not begun.
        this.#askForStep();
        this.#phases.logged(logged);
      },
      onDelta: (delta) => this.#phases.delta(delta),
      onRetry: (failure) => this.#phases.retried(failure),
      onModelCall: (purpose, change) => this.#phases.modelCall(purpose, change),
    };
  }

  /** Takes the session that was opened; undefined if it could not be. With `isLeaving` nothing begins: it is about to be closed. */
  enter(working: WorkingSession | undefined, { isLeaving }: { readonly isLeaving: boolean }): void {
    this.#isLeaving = isLeaving;
    if (working === undefined) return;
    this.#working = working;
    this.#phases.enter(working.opened.conversation.waitingActions.map(({ id }) => id));
  }

  /** Messages of the queue wait for the user. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Puts a message into the queue, which goes on with it if it was held. */
  send(text: string): void {
    this.#isHeld = false;
    this.#setQueue([...this.#queue, { id: this.#nextId++, text }]);
    this.#askForStep();
    this.drive();
  }

  withdraw(id: number | undefined = this.#queue.at(-1)?.id): string | undefined {
    const message = this.#queue.find((each) => each.id === id);
    if (message === undefined) return undefined;
    this.#setQueue(this.#queue.filter((each) => each !== message));
    return message.text;
  }

  goOn(): void {
    this.#isHeld = false;
    this.#goesOn = this.#working?.opened.conversation.events.slice().some(isOfUser) === true;
    this.drive();
  }

  interrupt(): void {
    // Whoever leaves waits for a summary alone.
    if (this.#isLeaving) return this.#interruption.abort(new Error('The summary was given up.'));
    if (this.#listeners.state.type === 'waiting') {
      this.#isHeld = true;
      void this.#inTurn(() => this.#denyAll(), { goOn: false });
    } else if (this.#listeners.state.type === 'working' && !this.#interruption.signal.aborted) {
      this.#isHeld = true;
      this.#listeners.setState({ ...this.#listeners.state, isInterrupted: true });
      this.#interruption.abort(new Error('The user interrupted the run.'));
    }
  }

  async answer(ids: readonly string[], answer: ApprovalAnswer): Promise<void> {
    const working = this.#working;
    if (working === undefined || this.#listeners.state.type !== 'waiting') return;
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
   * Ends what is under way, waits for an opening and for a summary in the background, and closes what is open. Nothing begins until the next
   * {@link Turns.enter}. {@link Turns.interrupt} gives the summary up.
   */
  async leave(opening: Promise<unknown>): Promise<void> {
    this.#isLeaving = true;
    this.#goesOn = false;
    this.#wait.abort();
    // After a run the signal belongs to the summary that it has left in the background.
    if (this.#underWay !== undefined) this.#interruption.abort(new Error('The session was left.'));
    await opening;
    await this.#underWay;
    await this.#answered;
    this.#wait.abort();
    const working = this.#working;
    if (working !== undefined) await this.#summaryTaken(working.opened.conversation);
    this.#working = undefined;
    await working?.opened.close();
  }

  async #summaryTaken(conversation: Conversation): Promise<void> {
    const { signal } = this.#interruption;
    const onWait = (): void => {
      this.#listeners.setState({ type: 'working', phase: 'condensing', isInterrupted: signal.aborted });
      this.#listeners.notice('info', summaryWaitInWords);
    };
    await pendingSummary(conversation, { signal, onWait });
  }

  /** Goes to work, if there is something to do and nothing is in the way. */
  drive(): void {
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
    this.#listeners.setState({ type: 'working', phase: this.#phases.begin(phase), isInterrupted: false });
    const done = this.#guarded(() => work(signal))
      .then(() => this.#guarded(() => this.#afterWork(signal)))
      .then(() => {
        this.#underWay = undefined;
        this.drive();
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
    this.#listeners.notice('problem', error.message);
  }

  /** Calls that came to wait while the user interrupted are denied. */
  async #afterWork(signal: AbortSignal): Promise<void> {
    const working = this.#working;
    if (working === undefined || this.#isLeaving) return;
    const { conversation } = working.opened;
    // An answer that was being given when the work began.
    await this.#answered;
    if (signal.aborted && conversation.waitingActions.length > 0) await this.#denyAll();
    await this.settle(working);
  }

  async #denyAll(): Promise<void> {
    await this.#working?.opened.conversation.reject('The user interrupted the run.');
  }

  /** Reports the state of the session when nothing is under way: it waits for an answer, or for a message. */
  async settle(working: WorkingSession): Promise<void> {
    this.#wait.abort();
    const underWay = this.#underWay;
    const approvals = await working.approvals();
    // Work that began meanwhile settles at its end.
    if (this.#isLeaving || this.#underWay !== underWay) return;
    if (approvals.length > 0) this.#listeners.setState({ type: 'waiting', approvals });
    // Whoever settles goes on: nothing is told of a moment between two messages.
    else if (!this.#hasWork) this.#listeners.setState({ type: 'idle' });
    // A summary in the making goes on behind. When it is there it is in the log, also if nobody says anything any more.
    this.#phases.show();
    void working.opened.conversation.settle().catch(() => undefined);
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
      this.#guarded(async () => {
        const working = this.#working;
        if (working === undefined || this.#listeners.state.type !== 'waiting' || this.#isLeaving) return;
        await answer();
        const isDone = working.opened.conversation.waitingActions.length === 0;
        if (isDone && goOn) this.#goesOn = true;
        // Work that began meanwhile settles at its end, and goes on then.
        else if (this.#underWay === undefined) await this.settle(working);
        // A message may have come while calls were denied.
        this.drive();
      }),
    );
    return this.#answered;
  }

  /** The run ends after its present step, so that what is in the queue is read with the next one. */
  #askForStep(): void {
    if (this.#queue.length > 0 && !this.#isHeld && this.#underWay !== undefined)
      this.#working?.opened.conversation.pause();
  }

  #setQueue(queue: readonly QueuedMessage[]): void {
    this.#queue = queue;
    this.#listeners.report({ type: 'queue', queue });
  }

  /** Does it, and tells what goes wrong. Never rejects. */
  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#isHeld = true;
      this.#listeners.notice('problem', problemText(error));
    }
  }
}

function isOfUser({ type, source }: Event): boolean {
  return type === 'message' && source === 'user';
}

const noRules: readonly string[] = [];
