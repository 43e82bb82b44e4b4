import type { Condensation } from '@palimpsest/events';
import { isCondensation, rebasedCondensation } from '@palimpsest/view';
import type { CondenseContext, Condenser, View } from '@palimpsest/view';
import { BackgroundTask } from './background-task.js';
import { CondenserModelError } from './model-failure.js';
import { requirementOf } from '../rolling/requirement.js';
import type { Summarizer } from '../summaries/summarizer.js';

/** What is run in the background. */
export interface BackgroundOptions {
  readonly name: string;
  /** Makes the condenser, which calls `asks` when it asks its model. Called for each decision, so it must be cheap. */
  readonly create: (asks: () => void) => Condenser;
  /** A view with more must be condensed before the agent can go on, as must one over the model's window, or a request. Unit: tokens. */
  readonly maxTokens: number | undefined;
}

/** A conversation that was left takes its task along; with more than this, the one that started first is stopped. */
const mostTasks = 64;

/**
 * Has a condenser's model asked while the agent goes on. What the condenser decides without asking it decides
 * at once. When it asks, the view is returned as it is; once the answer is there, the next call returns the condensation, if what it
 * covers is still in the view as it was read and the view can still be cut there. Else it is thrown away, and that is reported
 * (`outcome: 'discarded'`). Only a view that must be condensed waits.
 *
 * The one thing that it keeps between calls is the answer that is being written, found again by what it was made from. It is in no
 * log: after a restart the next decision starts again, and a call that was paid for may be paid twice. A summary that fails is
 * reported at the next call, which is where a condenser's back-off reads it. An abort of a call that started it, or that
 * came while it was written, stops it.
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
      // What is finished is for whoever can append it.
      if (context.preview === true) return view;
      const task = [...tasks].find((one) => one.belongsTo(view));
      if (task === undefined) return start(view, context);
      task.stopWith(context.signal);
      if (!task.isSettled && !mustWait(view, context)) return view;
      let result: View | Condensation;
      try {
        result = await task.outcome();
      } catch (error) {
        context.signal?.throwIfAborted();
        // An earlier call was aborted, and took it along.
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
      const reason = 'what the answer covers is no longer in the view as it was read';
      const { model, usage, costUsd } = result.metadata ?? {};
      context.report?.({ outcome: 'discarded', reason, data: { condenser: name, model, usage, costUsd } });
      return start(view, context);
    },
  };
}

/** A summariser that calls `asks` when it is asked. */
export function notifyingSummarizer(summarizer: Summarizer, asks: () => void): Summarizer {
  return {
    model: summarizer.model,
    summarize: (input, asking) => {
      asks();
      return summarizer.summarize(input, asking);
    },
  };
}
