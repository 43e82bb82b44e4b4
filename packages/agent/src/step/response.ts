import type { View } from '@palimpsest/view';
import type { ModelAnswer } from '../model/model-call.js';
import { newIdFrom } from '../new-id.js';
import { usageOf } from '../model/call-cost.js';
import { eventsOfResponse } from '../model/response-events.js';
import { carryOut } from './execution.js';
import type { StepContext } from './step-context.js';
import type { StepOutcome } from './step-outcome.js';

/**
 * Acts on an answer of the model. All events of the answer, its usage included, are emitted as one batch before the first call
 * is carried out: every prefix of the log has the whole answer or nothing of it.
 */
export async function actOn(answer: ModelAnswer, view: View, step: StepContext): Promise<StepOutcome> {
  const { completion, maxOutputTokens, records } = answer;
  const { createEvent, tools, takeFields, emit, options, state } = step;
  const llmResponseId = newIdFrom(createEvent);
  const { assessRisk } = options;
  const { begunAnswer } = state;
  const { events, ...response } = eventsOfResponse(completion, {
    llmResponseId,
    maxOutputTokens,
    begunAnswer,
    tools,
    takeFields,
    createEvent,
    assessRisk,
  });
  const usage = createEvent('llm-usage', {
    ...usageOf(completion, llmResponseId),
    estimatedInputTokens: view.tokens(),
    purpose: 'agent',
  });
  await emit(...records, usage, ...events);
  return response.type === 'tool-calls' ? carryOut(response.actions, step) : response;
}
