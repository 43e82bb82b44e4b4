import { parseEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { isCondensation, View } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { pipelineCondenser } from '../pipeline/pipeline.js';
import { digestCondenser } from './digest.js';

/** The log as another process reads it: nothing is remembered of its events. */
const readAgain = (events: readonly Event[]): readonly Event[] =>
  events.map((event) => parseEvent(JSON.parse(JSON.stringify(event))));

/** `npm test` meets the first half of the session, with a revert; CI's thorough run all: `.ci/run`. */
const isThorough = process.env['PALIMPSEST_THOROUGH'] === 'true';

const alone = () => digestCondenser({ maxSize: 20, targetTokens: 4_000, maxLineTokens: 900 });

async function summaryWith(condenser: Condenser, events: readonly Event[]) {
  const result = await condenser.condense(View.fromEvents(events), { report: () => {} });
  return isCondensation(result) ? result : undefined;
}

test.each([
  ['alone', alone],
  ['as a stage', () => pipelineCondenser([alone()])],
])(
  'what is remembered from one summary to the next changes none: reverts, previews and restarts, %s',
  async (_as, create) => {
    const summaryOf = (events: readonly Event[]) => summaryWith(create(), events);
    const log = logBuilder();
    let summaries = 0;
    for (let step = 0; step < (isThorough ? 90 : 45); step++) {
      if (step % 9 === 0) log.user(`Message ${step}`);
      log.call('edit', { path: `src/${step % 23}.ts`, oldText: 'a', newText: 'b'.repeat(300) }, `edited ${step}`);
      log.call('bash', { command: `npm test ${step % 5}` }, `not ok ${step} - test ${step % 7}\nexit code ${step % 2}`);
      const again = await summaryOf(readAgain(log.events));
      // A preview is made and dropped.
      if (step % 4 === 0) await summaryOf(log.events);
      const result = await summaryOf(log.events);
      const { id: _, timestamp: __, ...made } = result ?? { id: '', timestamp: '' };
      const { id: ___, timestamp: ____, ...expected } = again ?? { id: '', timestamp: '' };
      expect(made).toEqual(expected);
      if (result === undefined) continue;
      summaries++;
      log.add(result);
      if (summaries % 7 === 0) log.revert(result);
    }
    expect(summaries).toBeGreaterThan(isThorough ? 14 : 7);
  },
);
