import { llmSummarizingCondenser, observationMaskingCondenser, recentEventsCondenser } from '@palimpsest/condensers';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { compare } from '../compare.js';
import { compareFirstCalls } from '../first-calls.js';
import { histories, never, summary } from '../histories.js';
import { chat, fitting, idleFits, keptLog } from '../ours.js';
import { firstSubjects } from './first-subjects.js';
import { session } from './openai-agents.js';
import { sliding, summarizing, unmanaged } from './strands.js';

console.log(
  `Node ${process.version}. CPU of a step: events or messages in, messages ready to send. Ratios to the first row.`,
);
for await (const history of histories()) {
  const length = history.start.messages.length;
  const llm = scriptedLLM({ script: () => summary, contextWindow: never });
  const half = Math.floor(length / 2);
  if (length < 5_000)
    await compareFirstCalls(history, firstSubjects, new URL('first-subjects.ts', import.meta.url).href);

  await compare('Nothing to condense', history, () => [...idleFits(chat), session('MemorySession'), unmanaged]);
  await compare('Only the newer half is kept', history, () => [
    fitting(chat, 'recentEvents', () => recentEventsCondenser({ maxSize: half })),
    fitting(chat, 'observationMasking, which keeps all calls', () =>
      observationMaskingCondenser({ attentionWindow: half }),
    ),
    session('MemorySession, its newest items', half),
    sliding(half),
  ]);
  await compare(
    'The step at which half becomes a summary, by a model that answers at once',
    history,
    ({ start: { events } }) => {
      const summarizer = () => llmSummarizingCondenser({ llm, maxSize: events.length });
      return [
        fitting(chat, 'llmSummarizing', summarizer, { fittedBefore: true }),
        keptLog('llmSummarizing', summarizer, { decidedBefore: true }),
        summarizing(summary),
      ];
    },
    { steps: 1 },
  );
}
