import type { Condensation } from '@palimpsest/events';
import { isCondensation, isLaterView, rebasedCondensation } from '@palimpsest/view';
import type { AttemptReport, CondenseContext, Condenser, View } from '@palimpsest/view';
import { CondenserModelError } from '../definition/errors.js';
import { requirementOf } from '../rolling/requirement.js';
import { eventCount } from '../rolling/rolling-condenser.js';

/** The condenser that runs in the background. */
export interface BackgroundOptions {
  readonly name: string;
  /** Creates the condenser, which calls `asks` when it calls its model. Called for each decision, so it must be cheap. */
  readonly create: (asks: () => void) => Condenser;
  /**
   * A view with more tokens must be condensed before the agent continues; so must a view over the model's window, and one on a
   * request. Unit: tokens.
   */
  readonly maxTokens: number | undefined;
}

/** The task of an abandoned conversation stays in memory. Above this number of tasks, the oldest one is stopped. */
const mostTasks = 64;

/**
 * Runs the condenser's model call in the background. Decisions that need no model are returned immediately. While the model is
 * called, the view is returned unchanged. After the answer, the next call returns the condensation if the covered events are
 * still in the view as they were read and the view can still be cut there. Otherwise the condensation is discarded and reported
 * (`outcome: 'discarded'`). Only a view that must be condensed waits.
 *
 * The only state between calls is the pending answer, which is found by its input, and of which the host is told (`onPending`). It is
 * not in the log: after a restart the next decision starts again, and a paid call may be paid twice. The next call reports a failed
 * summary, and a condenser's back-off reads that report. An abort of the call that started the task, or of a later call during the
 * task, stops it.
 */
export function backgroundCondenser(options: BackgroundOptions): Condenser {
  const { name, create, maxTokens } = options;
  const mustWait = (view: View, context: CondenseContext): boolean =>
    requirementOf(view, context, { maxSize: Infinity, maxTokens }).level === 'hard';
  const tasks = new Set<BackgroundTask>();

  const start = async (view: View, context: CondenseContext): Promise<View | Condensation> => {
    const task = new BackgroundTask({ view, context, create });
    const outcome = await task.outcomeUnlessAsking();
    if (outcome === undefined && !mustWait(view, context)) {
      const [first] = tasks.add(task);
      if (tasks.size > mostTasks && first !== undefined && tasks.delete(first)) {
        first.stop(
          new CondenserModelError('error', 'too many conversations have a summary written in the background at once'),
        );
      }
      context.onPending?.({ ready: task.ready, isTaken: () => !tasks.has(task) });
      return view;
    }
    const result = await task.outcome();
    task.deliverReports(context, view);
    return result;
  };

  return {
    name,
    handlesCondensationRequests: true,
    condense: async (view, context = {}) => {
      context.signal?.throwIfAborted();
      // A finished condensation goes to a call that can append it.
      if (context.preview === true) return view;
      const task = [...tasks].find((one) => one.belongsTo(view));
      if (task === undefined) return start(view, context);
      if (context.focus !== undefined && context.focus !== task.focus) {
        // What is being written does not know what the user has just asked for.
        tasks.delete(task);
        const written = task.isSettled ? await task.outcome().catch(() => undefined) : undefined;
        task.stop(new CondenserModelError('error', 'the user asked for another summary'));
        task.deliverReports(context, view);
        if (isCondensation(written)) reportDiscarded(written, 'the user asked for another summary', context);
        return start(view, context);
      }
      task.stopWith(context.signal);
      if (!task.isSettled && !mustWait(view, context)) return view;
      let result: View | Condensation;
      try {
        result = await task.outcome();
      } catch (error) {
        context.signal?.throwIfAborted();
        // An earlier call was aborted, and its abort stopped the task.
        if (task.isStopped) return await start(view, context);
        throw error;
      } finally {
        tasks.delete(task);
      }
      task.deliverReports(context, view);
      if (!isCondensation(result)) return mustWait(view, context) ? start(view, context) : view;
      const rebased = rebasedCondensation(result, { from: task.view, to: view });
      if (rebased !== undefined) {
        return Object.freeze({ ...rebased, metadata: Object.freeze({ ...rebased.metadata, background: true }) });
      }
      reportDiscarded(result, 'what the answer covers is no longer in the view as it was read', context);
      return start(view, context);
    },
  };

  function reportDiscarded({ metadata }: Condensation, reason: string, { report }: CondenseContext): void {
    const { model, usage, costUsd } = metadata ?? {};
    report?.({ outcome: 'discarded', reason, data: { condenser: name, model, usage, costUsd } });
  }
}

/** One decision of a condenser. It may outlast the call that started it. */
class BackgroundTask {
  readonly view: View;
  /** The user's wish for what the summary keeps in view. */
  readonly focus: string | undefined;
  /** Resolves when the task has ended, however it ended. */
  readonly ready: Promise<void>;
  readonly #reports: AttemptReport[] = [];
  readonly #stop = new AbortController();
  readonly #signals = new Set<AbortSignal>();
  readonly #asked: Promise<undefined>;
  readonly #outcome: Promise<View | Condensation>;
  #isSettled = false;

  constructor(options: {
    readonly view: View;
    readonly context: CondenseContext;
    readonly create: (asks: () => void) => Condenser;
  }) {
    const { view, context, create } = options;
    this.view = view;
    this.focus = context.focus;
    let asks = (): void => {};
    this.#asked = new Promise((resolve) => (asks = () => resolve(undefined)));
    const condenser = create(asks);
    this.stopWith(context.signal);
    const run = async () =>
      condenser.condense(view, {
        ...context,
        signal: this.#stop.signal,
        report: (attempt) => void this.#reports.push(attempt),
      });
    this.#outcome = run().finally(() => {
      this.#isSettled = true;
      for (const signal of this.#signals) signal.removeEventListener('abort', this.#passOn);
    });
    // The task may fail while no call awaits it; the next call that awaits it receives the failure.
    this.ready = this.#outcome.then(
      () => undefined,
      () => undefined,
    );
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** The outcome, or undefined as soon as a model is called. */
  outcomeUnlessAsking(): Promise<View | Condensation | undefined> {
    return Promise.race([this.#outcome, this.#asked]);
  }

  outcome(): Promise<View | Condensation> {
    return this.#outcome;
  }

  /** True for later views of the conversation for which the task was started. */
  belongsTo(view: View): boolean {
    return isLaterView(view, this.view);
  }

  /** Adds the signal of another call: its abort stops the task. */
  stopWith(signal: AbortSignal | undefined): void {
    if (signal === undefined || this.#isSettled || this.#signals.has(signal)) return;
    this.#signals.add(signal);
    if (signal.aborted) this.stop(signal.reason);
    else signal.addEventListener('abort', this.#passOn, { once: true });
  }

  stop(reason: unknown): void {
    this.#stop.abort(reason);
  }

  /** Passes on the reports made in the meantime. A failure takes effect now, so the back-off starts at this point. */
  deliverReports(context: CondenseContext, view: View): void {
    for (const { data, ...report } of this.#reports.splice(0)) {
      const size = data?.['events'] === undefined ? {} : { events: eventCount(view), tokens: view.tokens() };
      context.report?.({ ...report, ...(data === undefined ? {} : { data: { ...data, ...size } }) });
    }
  }

  readonly #passOn = (event: { readonly target: unknown }): void => {
    this.stop((event.target as AbortSignal | null)?.reason);
  };
}
