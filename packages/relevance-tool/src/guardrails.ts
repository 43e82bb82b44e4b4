import { isToolResult } from '@palimpsest/events';
import type { ActionEvent, EventId, ToolContext, ToolResultEvent } from '@palimpsest/events';
import { protectedEventIds, View } from '@palimpsest/view';
import { relevanceToolName } from './description.prompt.js';
import { directiveEvents, isRelevanceDirective } from './directive.js';
import type { RelevanceDirective } from './directive.js';
import { resultLength } from './redaction.js';
import { loggedSteps, rejected, resolveReference, targetOf } from './target.js';
import type { LoggedSteps, Rejection } from './target.js';

/** Optional rules of refusal. The fixed ones are not listed here. */
export interface RelevanceGuardrails {
  /** Longest summary. Unit: characters. @defaultValue 250 */
  readonly maxSummaryCharacters: number;
  /** A redaction is at most this share of what it replaces. @defaultValue 0.5 */
  readonly maxLengthRatio: number;
  /** A redaction saves at least this much: the call and its answer cost about as much. Unit: characters. @defaultValue 200 */
  readonly minSavedCharacters: number;
  /** Results of this many newest steps before the request stay as they are. Unit: model responses. @defaultValue 1 */
  readonly newestSteps: number;
  /** Requests accepted in one step. Unit: directives. @defaultValue 8 */
  readonly maxPerStep: number;
  /** Tools whose results are never redacted. @defaultValue none */
  readonly protectedTools: readonly string[];
  /** Results that are never redacted. @defaultValue none */
  readonly protectedEventIds: readonly EventId[];
}

/** The default guardrails. */
export const defaultGuardrails: RelevanceGuardrails = {
  maxSummaryCharacters: 250,
  maxLengthRatio: 0.5,
  minSavedCharacters: 200,
  newestSteps: 1,
  maxPerStep: 8,
  protectedTools: [],
  protectedEventIds: [],
};

/** A request that may be recorded. */
export interface Permission {
  readonly type: 'permitted';
  readonly target: ToolResultEvent;
  /** The step in which the request was made. */
  readonly step: number;
  readonly action: ActionEvent | undefined;
}

/** A request that the same call already recorded, so that running the call again changes nothing. */
export interface Repetition {
  readonly type: 'repeated';
  readonly directive: RelevanceDirective;
}

/** The model's request. `text` is what the model would read in the result's place. */
export interface RedactionRequest {
  readonly reference: string;
  readonly summary: string;
  readonly text: string;
}

/** Accepts or refuses a request by the present log. Appends nothing. Cost: linear in the log. */
export function checkRequest(
  request: RedactionRequest,
  context: Pick<ToolContext, 'log' | 'event' | 'actionId'>,
  limits: RelevanceGuardrails,
): Permission | Rejection | Repetition {
  const malformed = malformedRequest(request, limits);
  if (malformed !== undefined) return malformed;
  const view = View.fromEvents(context.log);
  const steps = loggedSteps(context.log, view);
  const resolved = targetOf(resolveReference(request.reference, context), view);
  if (resolved.type === 'rejected') return resolved;
  const { target } = resolved;
  const requester = context.event(context.actionId);
  const action = requester?.type === 'action' ? requester : undefined;
  const step = (action === undefined ? undefined : steps.stepOf(action.id)) ?? steps.count;

  const directives = directiveEvents(view).filter(isRelevanceDirective);
  const standing = directives.findLast(({ targetEventId }) => targetEventId === target.id);
  if (standing !== undefined && standing.requestingActionId === context.actionId) {
    return { type: 'repeated', directive: standing };
  }
  return (
    protectedTarget(target, view, limits) ??
    recentTarget(target, step, steps, limits) ??
    spentTarget(target, view, standing) ??
    tooLong(target, request.text, limits) ??
    tooMany(directives, step, steps, limits) ?? { type: 'permitted', target, step, action }
  );
}

function malformedRequest(
  { reference, summary }: RedactionRequest,
  limits: RelevanceGuardrails,
): Rejection | undefined {
  if (reference.trim() === '') return rejected('invalid_id', "event_id is empty. Copy it from a result's last line.");
  if (summary.trim() === '') return rejected('summary_empty', 'Say in summary_text why it is no longer needed.');
  const { length } = summary.trim();
  if (length <= limits.maxSummaryCharacters) return undefined;
  const limit = `${limits.maxSummaryCharacters} characters are allowed`;
  return rejected('summary_too_long', `The summary has ${length} characters; ${limit}.`);
}

function protectedTarget(target: ToolResultEvent, view: View, limits: RelevanceGuardrails): Rejection | undefined {
  if (target.type === 'user-reject-observation') {
    return rejected('protected_target', 'The user refused this call. What the user decides always stays.');
  }
  if (target.toolName === relevanceToolName) {
    return rejected('protected_target', 'It is an answer of this tool. Those are short and stay.');
  }
  if (limits.protectedTools.includes(target.toolName)) {
    return rejected('protected_target', `Results of ${target.toolName} always stay.`);
  }
  // What the user or the application has pinned is among them.
  return limits.protectedEventIds.includes(target.id) || protectedEventIds(view).has(target.id)
    ? rejected('protected_target', 'This result always stays.')
    : undefined;
}

function recentTarget(
  target: ToolResultEvent,
  step: number,
  steps: LoggedSteps,
  limits: RelevanceGuardrails,
): Rejection | undefined {
  const age = step - (steps.stepOf(target.id) ?? step);
  if (age <= 0) {
    return rejected('no_observation_yet', 'It answers a call of the same response, so you have not read it yet.');
  }
  if (age > limits.newestSteps) return undefined;
  return rejected('too_recent', 'You have only just received it. Work with it first; ask again in a later step.');
}

function spentTarget(
  target: ToolResultEvent,
  view: View,
  standing: RelevanceDirective | undefined,
): Rejection | undefined {
  if (standing !== undefined) {
    return rejected(
      'already_redacted',
      'It is redacted already; the first summary stays. There is no need to ask again.',
    );
  }
  const index = view.indexOf(target.id);
  const event = index === undefined ? undefined : view.events.at(index);
  if (event === undefined || !isToolResult(event)) {
    return rejected('already_forgotten', 'It is no longer in the conversation, so there is nothing to redact.');
  }
  return event.redacted === true
    ? rejected('already_redacted', 'It has been shortened already. There is no need to ask.')
    : undefined;
}

function tooLong(target: ToolResultEvent, text: string, limits: RelevanceGuardrails): Rejection | undefined {
  const original = resultLength(target);
  const isShorter = text.length <= original * limits.maxLengthRatio;
  if (isShorter && original - text.length >= limits.minSavedCharacters) return undefined;
  const sizes = `It has ${original} characters, and your note would have ${text.length}.`;
  return rejected('not_shorter', `${sizes} That saves too little; leave short results as they are.`);
}

function tooMany(
  directives: readonly RelevanceDirective[],
  step: number,
  steps: LoggedSteps,
  limits: RelevanceGuardrails,
): Rejection | undefined {
  const accepted = directives.filter(({ id }) => steps.stepOf(id) === step).length;
  if (accepted < limits.maxPerStep) return undefined;
  return rejected('rate_limited', `${limits.maxPerStep} results in one step are the most. Ask again in a later step.`);
}
