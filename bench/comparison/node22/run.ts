import { llmSummarizingCondenser, observationMaskingCondenser, recentEventsCondenser } from '@palimpsest/condensers';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { compare } from '../compare.js';
import { histories, never, summary } from '../histories.js';
import { ours } from '../ours.js';
import { session } from './openai-agents.js';
import { sliding, summarizing, unmanaged } from './strands.js';

console.log(
  `Node ${process.version}. CPU of a step: events or messages in, messages ready to send. Ratios to the first row.`,
);
for await (const history of histories()) {
  const length = history.start.messages.length;
  const llm = scriptedLLM({ script: () => summary, contextWindow: never });
  const half = Math.floor(length / 2);
  await compare('Nothing to condense', history, () => [
    ours('llmSummarizing', () => llmSummarizingCondenser({ llm, maxSize: never })),
    session('MemorySession'),
    unmanaged,
  ]);
  await compare('Only the newer half is kept', history, () => [
    ours('recentEvents', () => recentEventsCondenser({ maxSize: half })),
    ours('observationMasking, which keeps all calls', () => observationMaskingCondenser({ attentionWindow: half })),
    session('MemorySession, its newest items', half),
    sliding(half),
  ]);
  await compare(
    'The step at which half becomes a summary, by a model that answers at once',
    history,
    ({ start: { events } }) => [
      ours('llmSummarizing', () => llmSummarizingCondenser({ llm, maxSize: events.length }), { decidedBefore: true }),
      summarizing(summary),
    ],
    { steps: 1 },
  );
}
