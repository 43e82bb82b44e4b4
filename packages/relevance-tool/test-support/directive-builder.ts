import type { LogBuilder } from '@palimpsest/events/testing';
import type { RelevanceDirective } from '../src/directive.js';
import { redactionNote } from '../src/redaction.js';

/** Adds a call of the relevance tool in a response of its own, its directive and its answer, as the tool logs them. */
export function directive(
  log: LogBuilder,
  target: { readonly id: string; readonly toolCallId?: string },
  fields: Readonly<Record<string, unknown>> = {},
): RelevanceDirective {
  const request = log.action('relevance_condenser');
  const summary = typeof fields.summary === 'string' ? fields.summary : 'no longer needed';
  const added = log.custom('relevance/directive', {
    requestedEventId: target.id,
    targetEventId: target.id,
    toolCallId: target.toolCallId ?? 'none',
    summary,
    text: redactionNote(summary),
    requestingActionId: request.id,
    llmResponseId: request.llmResponseId,
    ...fields,
  });
  log.observation(request, 'Accepted.');
  return added as RelevanceDirective;
}
