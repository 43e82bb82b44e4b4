import { llmSummarizingCondenser, observationMaskingCondenser } from '@palimpsest/condensers';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { aiSdk, pruning } from './ai-sdk.js';
import { compare } from './compare.js';
import { compareFirstCalls } from './first-calls.js';
import { firstSubjects } from './first-subjects.js';
import { histories, never, summary } from './histories.js';
import { editing, langchain, summarizing } from './langchain.js';
import { chat, fitting, idle, idleFits, keptLog } from './ours.js';

console.log(
  `Node ${process.version}. CPU of a step: events or messages in, messages ready to send. Ratios to the first row.`,
);
for await (const history of histories()) {
  const length = history.start.messages.length;
  const llm = scriptedLLM({ script: () => summary, contextWindow: never });
  const rounds = length > 5_000 ? 3 : 5;

  if (length < 5_000)
    await compareFirstCalls(history, firstSubjects, new URL('first-subjects.ts', import.meta.url).href);

  await compare(
    'Nothing to condense',
    history,
    () => [
      ...idleFits(chat),
      ...idleFits(aiSdk),
      ...idleFits(langchain),
      keptLog('nothing', idle.nothing),
      keptLog('priced, none due', idle['priced, none due']),
      summarizing(never, length, summary),
      editing(never),
      pruning(never),
    ],
    { rounds },
  );

  const masks = () => observationMaskingCondenser({ attentionWindow: 24 });
  await compare(
    'Old results go, in batches or from each request',
    history,
    () => [
      fitting(chat, 'observationMasking', masks),
      keptLog('observationMasking', masks),
      // Its time grows with the square of the messages.
      editing(1, length > 500 ? 1 : 10),
      pruning(24),
    ],
    { rounds },
  );

  await compare(
    'The step at which half becomes a summary, by a model that answers at once',
    history,
    ({ start: { events, messages } }) => {
      const summarizer = () => llmSummarizingCondenser({ llm, maxSize: events.length });
      return [
        fitting(chat, 'llmSummarizing', summarizer, { fittedBefore: true }),
        keptLog('llmSummarizing', summarizer, { decidedBefore: true }),
        summarizing(1, Math.floor(messages.length / 2), summary),
      ];
    },
    { rounds, steps: 1 },
  );
}
