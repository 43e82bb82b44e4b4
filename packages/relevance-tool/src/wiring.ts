import { eventFactory } from '@palimpsest/events';
import type { ActionEvent, CreateEvent, Event, ToolDefinition } from '@palimpsest/events';
import { isCondensation, View } from '@palimpsest/view';
import type { Condenser, RenderOptions } from '@palimpsest/view';
import { z } from 'zod';
import { relevanceCondenser } from './condenser.js';
import { recallToolName, relevanceToolName } from './description.prompt.js';
import { relevanceDirectiveType } from './directive.js';
import { redactionNote } from './redaction.js';

/** The parts of an agent that the relevance tool needs. */
export interface RelevanceWiring {
  readonly tools: readonly ToolDefinition[];
  readonly condenser?: Condenser | undefined;
  readonly render?: RenderOptions | undefined;
}

/**
 * Lists what the relevance tool still needs, in words for the developer; empty if nothing is missing. It runs the condenser, or the
 * pipeline that holds it, on a small log with a directive and checks that the result is redacted, so the condenser's name does
 * not matter. Call it once, where an agent is put together.
 */
export async function relevanceWiringProblems(wiring: RelevanceWiring): Promise<readonly string[]> {
  const { tools, condenser, render } = wiring;
  const tool = tools.find(({ name }) => name === relevanceToolName);
  const applies = condenser !== undefined && (await appliesDirectives(condenser));
  const problems: string[] = [];
  if (tool === undefined) {
    if (applies)
      problems.push(`The condenser applies directives, but there is no tool '${relevanceToolName}' to make them.`);
    return problems;
  }
  if (!applies) {
    const what = condenser === undefined ? 'there is no condenser' : `the condenser '${condenser.name}' applies none`;
    problems.push(`'${relevanceToolName}' records directives, but ${what}: no result will ever be redacted.`);
  }
  if (render?.labelObservation === undefined) {
    problems.push(`'${relevanceToolName}' needs event ids, but results carry no label: pass render.labelObservation.`);
  }
  if (tool.description.includes(`${recallToolName} returns`) && !tools.some(({ name }) => name === recallToolName)) {
    problems.push(
      `'${relevanceToolName}' promises that originals can be recalled, but there is no '${recallToolName}'.`,
    );
  }
  return problems;
}

async function appliesDirectives(condenser: Condenser): Promise<boolean> {
  // One that waits until it pays may not apply them to so short a log, but a stage of it does.
  for (const stage of condenser.stages ?? []) if (await appliesDirectives(stage)) return true;
  const { log, targetId } = probe();
  const result = await condenser.condense(View.fromEvents(log), {});
  // A pipeline that condenses so short a log may still apply directives at the next step: no verdict.
  if (isCondensation(result)) return true;
  const target = result.events.at(result.indexOf(targetId) ?? result.events.length);
  return target?.type === 'observation' && target.redacted === true;
}

/** Returns a log with a directive that is due under every rule, because a condensation follows it. */
function probe(): { readonly log: readonly Event[]; readonly targetId: string } {
  let count = 0;
  const create = eventFactory({ newId: () => `probe-${++count}`, now: () => new Date(0) });
  const call = (name: string) =>
    create('action', {
      thought: [],
      toolCall: { id: `call-${count}`, name, arguments: '{}' },
      llmResponseId: `response-${count}`,
    });
  const old = call('probe');
  const stale = call('probe');
  const marking = call(relevanceToolName);
  const oldResult = answer(create, old, 'old');
  const staleResult = answer(create, stale, 'a long line that no longer matters\n'.repeat(20));
  const directive = create(relevanceDirectiveType, {
    source: 'environment',
    requestedEventId: staleResult.id,
    targetEventId: staleResult.id,
    toolCallId: staleResult.toolCallId,
    summary: 'no longer needed',
    text: redactionNote('no longer needed'),
    requestingActionId: marking.id,
  });
  const task = create('message', { source: 'user', role: 'user', content: [{ type: 'text', text: 'a task' }] });
  const log = [task, old, oldResult, stale, staleResult, marking, directive, answer(create, marking, 'Accepted.')];
  const forgetting = create('condensation', { forgottenEventIds: [old.id, oldResult.id] });
  return { log: [...log, forgetting], targetId: staleResult.id };
}

function answer(create: CreateEvent, action: ActionEvent, text: string) {
  return create('observation', {
    toolName: action.toolCall.name,
    toolCallId: action.toolCall.id,
    actionId: action.id,
    content: [{ type: 'text', text }],
  });
}

const options = z.strictObject({
  apply: z.enum(['immediate', 'batched']).optional(),
  batching: z
    .strictObject({
      prices: z
        .strictObject({ read: z.number().min(0), write: z.number().min(0), output: z.number().min(0).optional() })
        .optional(),
      expectedCalls: z.number().min(0).optional(),
      pressure: z.number().min(0).max(1).optional(),
    })
    .optional(),
});

/**
 * The relevance condenser as configurations name it: `use = "@palimpsest/relevance-tool"`. It has the shape of what
 * `defineCondenser` of `@palimpsest/condensers/authoring` returns; this package does not depend on that one.
 */
export const relevanceDefinition = {
  name: 'relevance',
  summary: 'shows what the model itself wrote in the place of results that it no longer needs',
  options,
  asksModel: false,
  /** @throws ZodError when an option is unknown or out of range. */
  create: (given: z.input<typeof options> = {}) => relevanceCondenser(options.parse(given)),
};
