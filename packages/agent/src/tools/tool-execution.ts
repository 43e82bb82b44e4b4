import type { ActionEvent } from '@palimpsest/events';
import { answerAfter } from '../model/final-answer.js';
import { emitTo } from '../event-sink.js';
import { callResult } from './call-result.js';
import type { PreparedAction } from './call-result.js';
import { shownCharacters } from './output-limit.js';
import { prepareCall } from './tool-call.js';
import type { ToolExecutionOptions } from './tool-execution-options.js';

const defaultConcurrency = 4;

/**
 * Carries out actions, and answers each of them: with the output of its tool, or with an `agent-error` that says why not.
 * Calls run one after another, in order; neighbouring calls of tools marked `parallel` run at the same time. A failing tool
 * stops nothing. After a successful finish, and once the signal is aborted, the remaining calls are answered as not run.
 * Resolves to the output of the finish tool, if it ran.
 */
export async function executeActions(
  actions: readonly ActionEvent[],
  options: ToolExecutionOptions,
): Promise<string | undefined> {
  let finalAnswer: string | undefined;
  const emit = emitTo(options);
  const shown = shownCharacters(options.output ?? {}, options.contextWindow, actions.length);
  const calls = actions.map((action) => ({ action, prepared: prepareCall(action.toolCall, options.tools) }));
  for (const group of groups(calls)) {
    const waiting = [...group];
    const isFinished = finalAnswer !== undefined;
    const next = async (call: PreparedAction): Promise<void> => {
      const { result, whole, failure } = await callResult(call, { ...options, shown, emit, isFinished });
      await emit(...(whole === undefined ? [result] : [whole, result]));
      if (failure !== undefined) throw failure.error;
      finalAnswer ??= answerAfter(result, undefined)?.text;
    };
    const work = async (): Promise<void> => {
      try {
        for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) await next(call);
      } catch (error) {
        // If the host cannot take a result, no further call may begin, here or in a parallel worker.
        waiting.length = 0;
        throw error;
      }
    };
    const workers = Math.min(group.length, options.concurrency ?? defaultConcurrency);
    // All workers end before an error is thrown, so that no result is emitted after it.
    const ends = await Promise.allSettled(Array.from({ length: workers }, work));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
  return finalAnswer;
}

/** Groups of neighbouring calls that may run at the same time. Any other call is a group of its own. */
function groups(calls: readonly PreparedAction[]): readonly (readonly PreparedAction[])[] {
  const all: PreparedAction[][] = [];
  let wasParallel = false;
  for (const call of calls) {
    const isParallel = call.prepared.type === 'executable' && call.prepared.tool.annotations?.parallel === true;
    if (isParallel && wasParallel) all.at(-1)?.push(call);
    else all.push([call]);
    wasParallel = isParallel;
  }
  return all;
}
