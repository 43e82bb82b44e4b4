import { llmSummarizingCondenser, observationMaskingCondenser } from '@palimpsest/condensers';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { pruning } from './ai-sdk.js';
import { compare } from './compare.js';
import { histories, never, summary } from './histories.js';
import { editing, summarizing } from './langchain.js';
import { bodies, ours, oursFromNothing } from './ours.js';

console.log(
  `Node ${process.version}. CPU of a step: events or messages in, messages ready to send. Ratios to the first row.`,
);
for await (const history of histories()) {
  const length = history.start.messages.length;
  const llm = scriptedLLM({ script: () => summary, contextWindow: never });
  const asleep = () => llmSummarizingCondenser({ llm, maxSize: never });
  const idleMasks = () => observationMaskingCondenser({ minSavedTokens: never });
  const rounds = length > 5_000 ? 3 : 5;

  await compare(
    'Nothing to condense',
    history,
    () => [
      ours('llmSummarizing', asleep),
      ours('observationMasking', idleMasks),
      oursFromNothing('llmSummarizing', asleep),
      summarizing(never, length, summary),
      editing(never),
      pruning(never),
    ],
    { rounds },
  );
  await compare(
    'Nothing to condense, with the body of the request',
    history,
    () => Object.entries(bodies).map(([name, body]) => ours(`llmSummarizing, ${name}`, asleep, { body })),
    { rounds },
  );

  const masks = () => observationMaskingCondenser({ attentionWindow: 24 });
  await compare(
    'Old results go, at every step or in batches',
    history,
    () => [
      ours('observationMasking, in batches', masks),
      ours('observationMasking, at every step', () =>
        observationMaskingCondenser({ attentionWindow: 24, rewritesEveryStep: true }),
      ),
      // Its time grows with the square of the messages.
      editing(1, length > 500 ? 1 : 10),
      pruning(24),
    ],
    { rounds },
  );

  await compare(
    'The step at which half becomes a summary, by a model that answers at once',
    history,
    ({ start: { events, messages } }) => [
      ours('llmSummarizing', () => llmSummarizingCondenser({ llm, maxSize: events.length }), { decidedBefore: true }),
      summarizing(1, Math.floor(messages.length / 2), summary),
    ],
    { rounds, steps: 1 },
  );
}
