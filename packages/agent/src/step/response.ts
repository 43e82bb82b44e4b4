import type { View } from '@palimpsest/view';
import { textOf } from '../model/final-answer.js';
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
export async function actOn({ completion, records }: ModelAnswer, view: View, step: StepContext): Promise<StepOutcome> {
  const { createEvent, tools, takeFields, emit, options } = step;
  const llmResponseId = newIdFrom(createEvent);
  const { assessRisk } = options;
  const response = eventsOfResponse(completion, { llmResponseId, tools, takeFields, createEvent, assessRisk });
  const usage = createEvent('llm-usage', {
    ...usageOf(completion, llmResponseId),
    estimatedInputTokens: view.tokens(),
    purpose: 'agent',
  });
  switch (response.type) {
    case 'tool-calls':
      await emit(...records, usage, ...response.actions);
      return carryOut(response.actions, step);
    case 'message':
      await emit(...records, usage, response.message);
      return { type: 'message', answer: textOf(response.message.content) };
    case 'no-answer':
      await emit(...records, usage, response.message, response.correction);
      return { type: 'no-answer' };
  }
}
