import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { PendingCondensation } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { loadCondenser } from '../config/index.js';
import { llmSummarizer } from '../authoring/summaries/summarizer.js';
import { requestsOf, Session, threeByOne } from '../../test-support/window-session.js';
import { slidingWindowCondenser } from './sliding-window.js';

// The examples of the seed "Compress agent context for performance" of Google's Agent Development Kit, in its order.

/** A model that answers each summary with its number. */
const summarizationModel = () => scriptedLLM({ script: (_, call) => `SUMMARY ${call + 1}`, model: 'gemini-2.5-flash' });

test('configure context compaction: an interval and an overlap, by their names there', async () => {
  const llm = summarizationModel();
  const events_compaction_config = {
    type: 'slidingWindow',
    compaction_interval: 3, // Trigger compaction every 3 new invocations.
    overlap_size: 1, // Include last invocation from the previous window.
  } as const;
  const session = new Session(await loadCondenser(events_compaction_config, { defaultLLM: llm }));
  await session.run(4);
  expect(session.made).toHaveLength(1);
  expect(session.made[0]?.summary).toContain('SUMMARY 1');
});

test('example of context compaction: 3 completes, 6 completes, 9 completes', async () => {
  const { session, inputs } = threeByOne();
  await session.run(10);
  expect(session.windows).toEqual([
    '3: S(1-3)', // Event 3 completes: All 3 events are compressed into a summary
    '6: S(3-6)', // Event 6 completes: Events 3 to 6 are compressed, including the overlap of 1 prior event
    '9: S(6-9)', // Event 9 completes: Events 6 to 9 are compressed, including the overlap of 1 prior event
  ]);
  expect(inputs.map(({ events }) => requestsOf(events))).toEqual(['1-3', '3-6', '6-9']);
});

test('define a summarizer: a model of its own, and a prompt of its own', async () => {
  // Define the AI model to be used for summarization:
  const summarization_llm = summarizationModel();
  // Create the summarizer with the custom model:
  const my_summarizer = llmSummarizer({ llm: summarization_llm, prompt: 'IN SHORT: {{ transcript }}' });
  // Configure the App with the custom summarizer and compaction settings:
  const session = new Session(
    slidingWindowCondenser({ summarizer: my_summarizer, compactionInterval: 3, overlapSize: 1 }),
  );
  await session.run(4);
  expect(session.made[0]?.metadata).toMatchObject({ model: 'gemini-2.5-flash' });
  expect(JSON.stringify(summarization_llm.requests[0]?.messages)).toContain('IN SHORT: ');
});

test('the host handles the compaction in the background each time the session reaches the interval', async () => {
  const llm = summarizationModel();
  const session = new Session(slidingWindowCondenser({ llm, compactionInterval: 3, overlapSize: 1 }));
  await session.run(3);
  const pending: PendingCondensation[] = [];
  const context = { onPending: (one: PendingCondensation) => void pending.push(one) };
  expect(session.made).toEqual([]);
  session.log.user('request 4');
  await session.condense(context);
  // The model answers while the agent goes on.
  expect([session.made.length, pending.length]).toEqual([0, 1]);
  await pending[0]?.ready;
  await session.condense(context);
  expect(session.made).toMatchObject([{ metadata: { background: true } }]);
});
