import type { Condensation } from '@palimpsest/events';
import { isCondensation, rebasedCondensation } from '@palimpsest/view';
import type { CondenseContext, Condenser, View } from '@palimpsest/view';
import { BackgroundTask } from './background-task.js';
import { CondenserModelError } from './model-failure.js';
import { requirementOf } from '../rolling/requirement.js';
import type { Summarizer } from '../summaries/summarizer.js';

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
 * not in the log: after a restart the next decision starts again, and a paid call may be paid twice. The next call reports a failed summary, and a condenser's back-off
 * reads that report. An abort of the call that started the task, or of a later call during the task, stops it.
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
        first.stop(new CondenserModelError('error', 'too many conversations have a condensation in the making'));
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

/** A summariser that calls `asks` when it is called. */
export function notifyingSummarizer(summarizer: Summarizer, asks: () => void): Summarizer {
  return {
    model: summarizer.model,
    summarize: (input, asking) => {
      asks();
      return summarizer.summarize(input, asking);
    },
  };
}
