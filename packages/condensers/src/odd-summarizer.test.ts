import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { summarizingCondenser } from './summarizing.js';
import type { Summarizer, SummaryResult } from './summarizer.js';

const log = logBuilder();
log.user('Make it work.');
for (let step = 0; step < 10; step++) log.call('run', { step }, 'x'.repeat(400));
const view = View.fromEvents(log.events);

test('a summariser that ignores its signal does not hold up who aborts', async () => {
  const abort = new AbortController();
  const reason = new Error('nobody waits');
  const deaf: Summarizer = { summarize: () => (queueMicrotask(() => abort.abort(reason)), new Promise(() => {})) };
  const condenser = summarizingCondenser({ summarizer: deaf, maxSize: 10 });
  const waiting = Promise.resolve(condenser.condense(view, { signal: abort.signal, report: () => {} }));
  await expect(waiting).rejects.toBe(reason);
});

test.each([undefined, {}, { text: 42 }, { text: '\u200b' }, { text: '---' }])(
  'a summariser that answers %j leaves the history as it was, and that is reported',
  async (answer) => {
    const odd: Summarizer = { model: 'odd', summarize: () => Promise.resolve(answer as unknown as SummaryResult) };
    const outcomes: unknown[] = [];
    const condenser = summarizingCondenser({ summarizer: odd, maxSize: 10 });
    const result = await condenser.condense(view, {
      report: ({ outcome, data }) => void outcomes.push([outcome, data?.['kind']]),
    });
    expect(result).toBe(view);
    expect(outcomes).toEqual([['failed', 'empty']]);
  },
);
