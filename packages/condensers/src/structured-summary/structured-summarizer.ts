import { CondenserModelError } from '../authoring/definition/errors.js';
import { instructionFor, questionLength, structuredAnswer, valueOf } from '../authoring/model/answers.js';
import type { ObjectQuestion, StructuredAnswer } from '../authoring/model/answers.js';
import { accountOf } from '../authoring/model/call-model.js';
import { promptBehind, promptWithin } from '../authoring/model/prompt.js';
import { askBehind, extendedOrSeparate } from '../authoring/summaries/summarizer.js';
import type { Summarizer, SummaryResult } from '../authoring/summaries/summarizer.js';
import type { CheckedModelCall } from '../authoring/summaries/summarizing-condenser.js';
import {
  renderStateSummary,
  requiredFields,
  stateSummaryFields,
  stateSummaryJsonSchema,
  stateSummarySchema,
} from './state-summary.js';

/** The same ratio as in the limits of a prompt. */
const charactersPerToken = 4;
/** The assumed window of a model that does not state its own. Unit: tokens. */
const assumedWindow = 100_000;

const question = (): ObjectQuestion => ({
  name: 'create_state_summary',
  description:
    'Writes the state summary that stands in the place of the events. The fields user_context, completed_tasks and pending_tasks must not be empty.',
  schema: stateSummaryJsonSchema(stateSummaryFields),
  looseSchema: stateSummaryJsonSchema(requiredFields),
});

/**
 * Returns a summariser whose model fills in the fields of a state summary by a forced call of `create_state_summary`. If the model is
 * known to refuse forced calls (`llm.facts`), or refuses this one, the summariser uses a response format instead, and after that
 * an instruction. The answer is a single one, not streamed, and checked field by field. An invalid answer is a failure, never an
 * empty summary. Behind the agent's conversation the summariser asks with an instruction alone.
 *
 * @throws `summarize` throws {@link CondenserModelError} when the model fails, is too slow, is cut off, or gives an invalid
 *   answer.
 */
export function structuredSummarizer(options: CheckedModelCall): Summarizer {
  const { llm, prompt, maxOutputTokens, timeoutMs, maxEventCharacters } = options;
  const asked = question();
  const schemaTokens = Math.ceil(questionLength(asked) / charactersPerToken);
  return {
    model: llm.model,
    summarize: (input, { signal }) => {
      const { conversation } = input;
      const behind = async (): Promise<SummaryResult | undefined> => {
        if (conversation === undefined) return undefined;
        // Another tool would change what stands before the question, so the object is asked for in words.
        const text = `${promptBehind(prompt, input, conversation.keptFrom)}\n\n${instructionFor(asked)}`;
        const completion = await askBehind(llm, conversation, { text, maxOutputTokens }, { timeoutMs, signal });
        if (completion === undefined) return undefined;
        const account = accountOf(completion);
        return { text: renderedSummary({ value: valueOf(completion, asked), account }), ...account };
      };
      return extendedOrSeparate(behind, async () => {
        const text = promptWithin(prompt, input, {
          contextWindow: Math.max(1, (llm.contextWindow ?? assumedWindow) - schemaTokens),
          maxOutputTokens,
          maxEventCharacters,
        });
        const answer = await structuredAnswer(
          llm,
          { prompt: text, question: asked, ways: ['tool', 'format', 'instruction'], maxOutputTokens },
          { timeoutMs, signal },
        );
        return { text: renderedSummary(answer), ...answer.account };
      });
    },
  };
}

function renderedSummary({ value, account }: Pick<StructuredAnswer, 'value' | 'account'>): string {
  const read = stateSummarySchema().safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    const reason = `the answer is no state summary: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it does not fit'}`;
    throw new CondenserModelError('invalid', reason, { account });
  }
  if (requiredFields.every((field) => read.data[field].trim() === ''))
    throw new CondenserModelError('empty', `${requiredFields.join(', ')} are all empty`, { account });
  return renderStateSummary(read.data);
}
