import { ConcurrencyError, ConversationBusyError, WriterOustedError } from '@palimpsest/events';
import type { Event, MessageEvent } from '@palimpsest/events';
import { untilAborted } from '@palimpsest/view';
import type { Agent } from '../agent.js';
import { codeOf, ConversationRunError, messageOf, NoUserMessageError } from '../errors.js';
import { vetoOf } from '../hooks.js';
import { assertWithinLimits, defaultLimits, maxContinuations, noRunUsage, withCallOf } from '../limits.js';
import type { Limits, RunUsage } from '../limits.js';
import { isBrokenResponse, missingCutOffNote } from '../model/streamed-answer.js';
import { callNotes, failingNote, turnsLeftNote, unreadNote } from '../notes.prompt.js';
import type { RunOutcome, StepOutcome, StuckPattern } from '../outcome.js';
import { maskedDeltas } from '../secrets/mask.js';
import { isCutOff } from '../secrets/masked-event.js';
import type { StepOptions } from '../step.js';
import { defaultStuckThresholds, stuckPattern } from '../stuck-detection.js';
import type { StuckThresholds } from '../stuck-detection.js';
import { endedBefore, interrupted } from '../tool-calls/results.js';
import { earlierRun, traceEvent, usageOfOpenRun } from './earlier-run.js';
import { withErrorsIgnored } from './log.js';
import type { MaskedLog } from './log.js';
import type { ConversationOptions, RunOptions } from './options.js';
import type { RequestedCondensation } from './requests.js';
import type { StandingContext } from './standing-context.js';

export interface RunParts {
  readonly log: MaskedLog;
  readonly standingContext: StandingContext;
  readonly requestedCondensation: RequestedCondensation;
  readonly options: ConversationOptions;
}

/** One run of a conversation: steps until the model finishes, or something else ends it. */
export class Run {
  readonly #agent: Agent;
  readonly #log: MaskedLog;
  readonly #parts: RunParts;
  readonly #limits: Limits;
  readonly #thresholds: StuckThresholds | undefined;
  readonly #interruption = new AbortController();
  readonly #signal: AbortSignal;
  readonly #onDelta: RunOptions['onDelta'];
  readonly #requestedBy: RunOptions['requestedBy'];
  #pauseRequested = false;
  #isReleased = false;
  #used: RunUsage = noRunUsage;
  /** The steps that earlier processes took of the same run. */
  #earlierIterations = 0;
  #condensations = 0;
  #incompleteInARow = 0;

  constructor(parts: RunParts, { signal, onDelta, requestedBy }: RunOptions) {
    const { agent, limits, stuckDetection } = parts.options;
    this.#agent = agent;
    this.#log = parts.log;
    this.#parts = parts;
    this.#limits = { ...defaultLimits, ...limits };
    this.#thresholds = stuckDetection === false ? undefined : { ...defaultStuckThresholds, ...stuckDetection };
    const own = this.#interruption.signal;
    this.#signal = signal === undefined ? own : AbortSignal.any([own, signal]);
    this.#requestedBy = requestedBy;
    this.#onDelta = toAll([onDelta, deltasTo(parts.options.live, parts.log.events.conversationId)]);
  }

  /** Ends the run after its present step. */
  pause(): void {
    this.#pauseRequested = true;
  }

  /** Ends the run after its present step; the log does not say that it has ended. */
  release(): void {
    this.#isReleased = true;
  }

  /** Ends the run now. */
  interrupt(): void {
    this.#interruption.abort(new Error('The run was interrupted.'));
  }

  /**
   * Runs. A conversation that is finished or stuck stays so until the user says something.
   *
   * @throws {@link ConversationRunError}
   */
  async outcome(): Promise<RunOutcome> {
    const { status, state, events } = this.#log;
    const { finalAnswer } = state;
    if (status === 'finished' || status === 'stuck') {
      return { status, answer: status === 'stuck' ? undefined : finalAnswer, ...this.#counts() };
    }
    const { instrumentation, llm } = this.#agent;
    if (instrumentation === undefined) return this.#taken();
    const { conversationId } = events;
    const about = {
      conversationId,
      model: llm.model,
      earlier: earlierRun(events),
      requestedBy: this.#requestedBy,
      signal: this.#signal,
    };
    return instrumentation.run(about, (traceparent) => this.#taken(traceparent));
  }

  /** @param traceparent - what the log is told of the run's trace */
  async #taken(traceparent?: string): Promise<RunOutcome> {
    const { status, state, events } = this.#log;
    const { finalAnswer } = state;
    this.#log.status = 'running';
    this.#used = usageOfOpenRun(events);
    this.#earlierIterations = this.#used.iterations;
    const stop = events.observe((event) => {
      this.#used = withCallOf(this.#used, event);
    });
    try {
      const isAnswered = finalAnswer !== undefined;
      if (!isAnswered) await this.#log.setStatus('running', ...this.#traceEvents(traceparent));
      else if (await this.#isOver(finalAnswer)) return await this.#ended('finished', { answer: finalAnswer });
      // Two condensations of the same view would each forget what the other one has summarised.
      await this.#parts.requestedCondensation.settled(this.#signal);
      return await this.#loop(status === 'waiting-for-confirmation');
    } catch (error) {
      throw await this.#failed(error);
    } finally {
      stop();
    }
  }

  #traceEvents(traceparent: string | undefined): readonly Event[] {
    if (traceparent === undefined) return [];
    return [traceEvent(traceparent, this.#log.events.conversationId, this.#agent.createEvent)];
  }

  /**
   * Calls the hook once more when an earlier run ended between the answer and the status `finished`, because providers
   * refuse histories that end in an answer.
   */
  async #isOver(answer: string): Promise<boolean> {
    const { createEvent } = this.#agent;
    await this.#log.append(this.#log.state.pendingActions.map((action) => endedBefore(action, createEvent)));
    const veto = await this.#stopVeto(answer);
    if (veto === undefined) return true;
    await this.#log.setStatus('running');
    await this.#log.tell(veto);
    return false;
  }

  async #loop(haveWaited: boolean): Promise<RunOutcome> {
    const { standingContext } = this.#parts;
    const { state, events, secrets } = this.#log;
    if (state.latestUserMessage === undefined) throw new NoUserMessageError(events.conversationId);
    await standingContext.ensureSystemPrompt();
    await answerUnansweredCalls(this.#agent, this.#log, haveWaited);
    await this.#log.append(missingCutOffNote(state.recentEvents, this.#agent.createEvent));
    await standingContext.append();
    for (;;) {
      if (this.#isReleased) return this.#released();
      if (this.#pauseRequested || this.#signal.aborted) return this.#paused();
      assertWithinLimits(this.#used, this.#limits);
      const stuck = await this.#stuckIn();
      if (stuck !== undefined) return this.#ended('stuck', { stuck });
      const read: MessageEvent | undefined = state.latestUserMessage;
      const outcome = await this.#step();
      if (outcome === undefined || outcome.type === 'condensation-request') continue;
      if (outcome.type === 'awaiting-confirmation') {
        return this.#ended('waiting-for-confirmation', { waiting: outcome.actions.map((action) => secrets(action)) });
      }
      if (outcome.type === 'condensation') {
        this.#condensations++;
        await standingContext.append();
        continue;
      }
      this.#used = { ...this.#used, iterations: this.#used.iterations + 1 };
      const hasReadAll = () => state.latestUserMessage === read;
      this.#incompleteInARow = outcome.type === 'incomplete' && hasReadAll() ? this.#incompleteInARow + 1 : 0;
      if (outcome.type === 'incomplete' && this.#incompleteInARow > maxContinuations) {
        return this.#ended('incomplete', { finishReason: outcome.finishReason });
      }
      if (!('answer' in outcome) || outcome.answer === undefined) {
        await this.#remind();
        continue;
      }
      const answer = secrets.text(outcome.answer);
      const veto = await this.#stopVeto(answer);
      if (veto !== undefined) {
        await this.#log.tell(veto);
        continue;
      }
      // A message that came during the step has not been read yet, so the work is not finished.
      if (hasReadAll()) {
        const ending = outcome.type === 'message' ? outcome.finishReason : undefined;
        const finished = await this.#ended('finished', { answer, ...(ending && { finishReason: ending }) });
        if (hasReadAll()) return finished;
        await this.#log.setStatus('running');
      }
      await this.#log.tell(unreadNote);
    }
  }

  /** Takes one step. Undefined when it was aborted, which is no failure. */
  async #step(): Promise<StepOutcome | undefined> {
    const { secrets, state } = this.#log;
    const signal = this.#signal;
    const deltas = this.#onDelta === undefined ? undefined : maskedDeltas(secrets, this.#onDelta);
    const options: StepOptions = {
      ...this.#parts.requestedCondensation.stepOptions,
      secrets,
      signal,
      onDelta: deltas?.write,
      onEvents: (batch) => {
        if (signal.aborted || batch.some(isCutOff)) deltas?.cut();
        // The model's answer is complete before the first event that follows from it.
        else if (!batch.every(isBrokenResponse)) deltas?.end();
        return this.#log.append(batch);
      },
    };
    try {
      return await this.#agent.step(state, options);
    } catch (error) {
      deltas?.cut();
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  /** Returns the reason for which the hook `beforeStop` keeps the run going. A hook that is interrupted gives none. */
  async #stopVeto(answer: string): Promise<string | undefined> {
    try {
      return vetoOf(await untilAborted(this.#agent.hooks.beforeStop?.(answer), this.#signal));
    } catch (error) {
      if (this.#signal.aborted) return undefined;
      throw error;
    }
  }

  /** Returns the pattern in which the run is stuck. Before a repeated error counts as stuck, the model is told of it once. */
  async #stuckIn(): Promise<StuckPattern | undefined> {
    if (this.#thresholds === undefined) return undefined;
    const finding = stuckPattern(this.#log.state.recentEvents, this.#thresholds);
    if (finding?.isNudge !== true) return finding?.pattern;
    await this.#log.tell(failingNote);
    return undefined;
  }

  async #remind(): Promise<void> {
    const left = this.#limits.maxIterations - this.#used.iterations;
    const { reminders = [10, 3] } = this.#parts.options;
    if (left > 0 && reminders.includes(left)) await this.#log.tell(turnsLeftNote(left));
  }

  async #paused(): Promise<RunOutcome> {
    await this.#log.append(this.#agent.createEvent('pause', {}));
    return this.#ended('paused', {});
  }

  async #released(): Promise<RunOutcome> {
    // What is begun is waited for, as a step is: nobody else has it, and it is paid for. What fails here fails for the next worker, too.
    await this.#parts.requestedCondensation.takePending((work) => work(), this.#signal).catch(() => undefined);
    this.#log.status = 'idle';
    return { status: 'released', ...this.#counts() };
  }

  async #ended(
    status: Exclude<RunOutcome['status'], 'released'>,
    found: Pick<RunOutcome, 'answer' | 'finishReason' | 'waiting' | 'stuck'>,
  ): Promise<RunOutcome> {
    await this.#log.setStatus(status);
    return { status, ...found, ...this.#counts() };
  }

  #counts(): Pick<RunOutcome, 'iterations' | 'condensations'> {
    return { iterations: this.#used.iterations - this.#earlierIterations, condensations: this.#condensations };
  }

  async #failed(cause: unknown): Promise<ConversationRunError> {
    const { events, secrets } = this.#log;
    const detail = messageOf(cause);
    if (isOfAnotherWriter(cause)) {
      // Another writer has the conversation. What is open in its log may be under way there, so nothing is said about it.
      this.#log.status = 'error';
      return new ConversationRunError(events.conversationId, cause, secrets.text(detail));
    }
    try {
      await this.#log.append(this.#agent.createEvent('conversation-error', { code: codeOf(cause), detail }));
      await this.#log.setStatus('error');
    } catch {
      // The log itself may be what failed. The caller gets the first cause.
      this.#log.status = 'error';
    }
    return new ConversationRunError(events.conversationId, cause, secrets.text(detail));
  }
}

/** Somebody else has appended to the conversation, or may do so now. */
function isOfAnotherWriter(cause: unknown): boolean {
  return [ConcurrencyError, ConversationBusyError, WriterOustedError].some((type) => type.isInstance(cause));
}

function deltasTo(live: ConversationOptions['live'], conversationId: string): RunOptions['onDelta'] {
  return live === undefined ? undefined : (delta) => live.delta(conversationId, delta);
}

/** Returns a listener that calls these, and ignores their errors; undefined without any. */
function toAll(listeners: readonly RunOptions['onDelta'][]): RunOptions['onDelta'] {
  const safe = listeners.filter((listener) => listener !== undefined).map(withErrorsIgnored);
  if (safe.length === 0) return undefined;
  return (delta) => {
    for (const listener of safe) listener(delta);
  };
}

/**
 * Answers the actions that an earlier run left without a result. An action may have been carried out before the process died, so
 * it is answered as lost, unless it is safe to run it now: its tool is repeatable, or it has not begun, because it waited for a
 * confirmation. While an action waits for confirmation, nothing is answered.
 *
 * @param haveWaited - the earlier run ended because an action waited: nothing of its response has begun, and if the policy asks no
 *   longer, its hooks decide
 */
async function answerUnansweredCalls(agent: Agent, log: MaskedLog, haveWaited: boolean): Promise<void> {
  const { tools, createEvent } = agent;
  const { pendingActions, releasedActions, confirmedActions } = log.state;
  if (agent.unconfirmed(pendingActions, log.state).length > 0) return;
  // What was confirmed has a record of its own of what has begun.
  const areNew = haveWaited && !pendingActions.some(({ id }) => confirmedActions.has(id));
  const answers = pendingActions.flatMap((action) => {
    if (log.isMissingSecret(action)) return [interrupted(action, callNotes.lostSecret, createEvent)];
    const isRepeatable =
      action.executable !== false && tools.get(action.toolCall.name)?.annotations?.repeatable === true;
    return areNew || isRepeatable || releasedActions.has(action.id)
      ? []
      : [interrupted(action, callNotes.lostResult, createEvent)];
  });
  await log.append(answers);
  const lost = answers.filter(({ type }) => type === 'agent-error').length;
  const { conversationId } = log.events;
  if (lost > 0) agent.instrumentation?.actionsLost?.({ conversationId }, lost);
}
