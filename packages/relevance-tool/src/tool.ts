import { addressOf, createEvent as createDefaultEvent, defineTool, wellFormedEvent } from '@palimpsest/events';
import type { CreateEvent, Tool, ToolContext, ToolOutput } from '@palimpsest/events';
import * as z from 'zod/mini';
import {
  eventIdDescription,
  recallToolName,
  relevanceDescription,
  relevanceToolName,
  summaryTextDescription,
} from './description.prompt.js';
import { relevanceDirectiveType } from './directive.js';
import type { RelevanceDirective } from './directive.js';
import { defaultGuardrails, checkRequest } from './guardrails.js';
import type { Permission, RelevanceGuardrails } from './guardrails.js';
import { redactionNote } from './redaction.js';
import type { Rejection, RejectionCode } from './target.js';

/** Options of {@link relevanceTool}. */
export interface RelevanceToolOptions {
  /** The rules of refusal. @defaultValue those that {@link RelevanceGuardrails} names */
  readonly guardrails?: Partial<RelevanceGuardrails>;
  /** The first words of a redaction. @defaultValue 'Response redacted: ' */
  readonly marker?: string;
  /** States that the recall tool is available; notes then name it. @defaultValue false */
  readonly recall?: boolean;
  /** The way in which the condenser applies directives; changes only the tool's wording. @defaultValue 'immediate' */
  readonly apply?: 'immediate' | 'batched';
  /** Each accepted request also adds one message of the environment that says so. @defaultValue false */
  readonly confirm?: boolean;
  /** Makes the events. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent;
}

/** The input of the relevance tool, written by the model. */
export interface RelevanceInput {
  readonly event_id: string;
  readonly summary_text: string;
}

/** The `details` of the tool's answer. */
export interface RelevanceAnswer {
  readonly accepted: boolean;
  readonly acceptedEventIds: readonly string[];
  readonly rejectedEventIds: readonly string[];
  readonly rejections: readonly { readonly id: string; readonly code: RejectionCode; readonly reason: string }[];
  /** The directive that stands for the request now. */
  readonly directiveId?: string;
}

/**
 * Returns the tool with which a model says that a tool result is no longer needed: `{ event_id, summary_text }`. It checks the
 * request against the log, appends a {@link RelevanceDirective}, and answers. {@link relevanceCondenser} redacts at the next step.
 * Checking and appending are one step for all calls on one log. A refusal is an answer with a code and a reason, and appends
 * nothing. Running the same call again changes nothing.
 */
export function relevanceTool(options: RelevanceToolOptions = {}): Tool<RelevanceInput> {
  const limits = { ...defaultGuardrails, ...options.guardrails };
  const turns = new TurnQueue();
  return defineTool({
    name: relevanceToolName,
    description: relevanceDescription({ recall: options.recall === true, takesEffect: takesEffect(options) }),
    input: z.strictObject({
      event_id: z.string().check(z.trim(), z.minLength(1), z.describe(eventIdDescription)),
      summary_text: z
        .string()
        .check(z.trim(), z.minLength(1), z.maxLength(limits.maxSummaryCharacters), z.describe(summaryTextDescription)),
    }),
    annotations: { readOnly: true, repeatable: true, parallel: true },
    eventTypes: [relevanceDirectiveType],
    execute: (input, context) => turns.run(context.log, () => answer(input, context, limits, options)),
  });
}

async function answer(
  input: RelevanceInput,
  context: ToolContext,
  limits: RelevanceGuardrails,
  options: RelevanceToolOptions,
): Promise<ToolOutput> {
  const text = redactionNote(input.summary_text, options);
  const verdict = checkRequest({ reference: input.event_id, summary: input.summary_text, text }, context, limits);
  switch (verdict.type) {
    case 'rejected':
      return refusal(input.event_id, verdict);
    case 'repeated':
      return acknowledgement(verdict.directive, options);
    case 'permitted': {
      const { createEvent = createDefaultEvent } = options;
      const directive = directiveOf(input, text, verdict, context, createEvent);
      await context.append(directive);
      if (options.confirm === true) await context.append(confirmationOf(directive, createEvent));
      return acknowledgement(directive, options);
    }
  }
}

function directiveOf(
  input: RelevanceInput,
  text: string,
  { target, step, action }: Permission,
  context: ToolContext,
  createEvent: CreateEvent,
): RelevanceDirective {
  const directive = createEvent(relevanceDirectiveType, {
    source: 'environment',
    requestedEventId: input.event_id,
    targetEventId: target.id,
    toolCallId: target.toolCallId,
    summary: input.summary_text.trim(),
    text,
    requestingActionId: context.actionId,
    ...(action === undefined ? {} : { llmResponseId: action.llmResponseId }),
    agentStepIndex: step,
  });
  return wellFormedEvent(directive) as RelevanceDirective;
}

/** Stands between the results of its batch in the log, and is sent after them. Its id lets the log refuse a second one. */
function confirmationOf(directive: RelevanceDirective, createEvent: CreateEvent) {
  const text = `The result ${addressOf(directive.targetEventId)} is marked as no longer needed: ${directive.summary}`;
  return createEvent('message', {
    id: `${directive.id}-confirmation`,
    source: 'environment',
    role: 'user',
    content: [{ type: 'text', text }],
  });
}

function acknowledgement(directive: RelevanceDirective, options: RelevanceToolOptions): ToolOutput {
  const id = directive.requestedEventId;
  const recall = options.recall === true ? ` ${recallToolName} returns the original.` : '';
  const details: RelevanceAnswer = {
    accepted: true,
    acceptedEventIds: [id],
    rejectedEventIds: [],
    rejections: [],
    directiveId: directive.id,
  };
  return {
    content: `Accepted: ${id}. ${takesEffect(options)} your summary stands in its place. Do not repeat the call.${recall}`,
    details: { ...details },
  };
}

function refusal(id: string, { code, reason }: Rejection): ToolOutput {
  const details: RelevanceAnswer = {
    accepted: false,
    acceptedEventIds: [],
    rejectedEventIds: [id],
    rejections: [{ id, code, reason }],
  };
  return { content: `Rejected: ${id}. Code: ${code}. ${reason}`, isError: true, details: { ...details } };
}

function takesEffect({ apply }: RelevanceToolOptions): string {
  return apply === 'batched'
    ? 'From the next step on, or a few steps later together with others,'
    : 'From the next step on';
}

/**
 * Runs tasks of one key one after another, and tasks of different keys concurrently. What a task has checked therefore still holds
 * when the task acts on it. The queue of a key is garbage with the key.
 */
class TurnQueue {
  readonly #last = new WeakMap<object, Promise<unknown>>();

  /** Runs the task when all earlier tasks of the key have settled. */
  run<Result>(key: object, task: () => Promise<Result>): Promise<Result> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(task);
    this.#last.set(
      key,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
