import { isToolResult, isUserMessage } from '@palimpsest/events';
import type { ToolResultEvent } from '@palimpsest/events';
import type { Rejection } from './rejection.js';
import { describeEvent, rejected } from './rejection.js';
import type { LoggedSteps } from './logged-steps.js';
import type { Resolution } from './reference.js';

/** The tool result that a reference means: the result itself, or the answer to the named call. */
export function targetOf(
  resolution: Resolution,
  steps: LoggedSteps,
): { readonly type: 'target'; readonly target: ToolResultEvent } | Rejection {
  if (resolution.type === 'unknown') {
    return rejected(
      'unknown_event',
      "There is no such event. Copy the id from the last line of a result that you have read; it reads '[event_id: …]'.",
    );
  }
  if (resolution.type === 'ambiguous') {
    const named = resolution.candidates.map(describeEvent).join(', ');
    return rejected('ambiguous_event', `More than one event fits. Name one of: ${named}.`);
  }
  const { event } = resolution;
  if (event.type === 'action') {
    const target = steps.resultOf(event.id);
    if (target !== undefined) return { type: 'target', target };
    return rejected('no_observation_yet', 'This call has no result yet, so there is nothing to redact.');
  }
  if (!isToolResult(event)) {
    const what = isUserMessage(event) ? 'a message of the user' : `a ${event.type}`;
    return rejected('not_maskable', `It is ${what}. Only results of tools can be redacted; all else stays.`);
  }
  if (steps.callOf(event.id) === undefined) {
    return rejected('not_maskable', 'It answers no call, so it is not in the conversation.');
  }
  return { type: 'target', target: event };
}
