import { parseEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { isCondensation, View } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { observationMaskingCondenser } from '../observation-masking/observation-masking.js';
import { pipelineCondenser } from '../pipeline/pipeline.js';
import { fewer } from '../../test-support/fewer.js';
import { extractiveSummaryCondenser } from './extractive-summary.js';

/** What a model reads of the log. */
const shown = (log: LogBuilder): string =>
  View.fromEvents(log.events)
    .toMessages()
    .flatMap(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')))
    .join('\n');

async function condense(log: LogBuilder, condenser: Condenser): Promise<boolean> {
  const result = await condenser.condense(View.fromEvents(log.events), { report: () => {} });
  if (!isCondensation(result)) return false;
  // As it comes from a store.
  log.add(parseEvent(JSON.parse(JSON.stringify(result))));
  return true;
}

const word = fc.constantFrom('lock', 'Datei', 'größer', 'never', '函数', 'src/a.ts', '`npm test`', '\n- ', '🙂', 'the');
/** A message of some words, each its own: a count stands before it. */
const message = fc.array(word, { minLength: 1, maxLength: 40 }).map((words) => words.join(' '));

/** Ways to condense a session again and again. */
const ways: readonly (readonly [string, (maxUserWordTokens: number) => readonly Condenser[]])[] = [
  [
    'alone',
    (maxUserWordTokens) => [extractiveSummaryCondenser({ maxSize: 16, maxSummaryTokens: 2_400, maxUserWordTokens })],
  ],
  [
    'behind masks',
    (maxUserWordTokens) => [
      pipelineCondenser([
        observationMaskingCondenser({ attentionWindow: 2, minSavedTokens: 1 }),
        extractiveSummaryCondenser({ maxSize: 16, maxSummaryTokens: 2_400, maxUserWordTokens }),
      ]),
    ],
  ],
];

test.each(ways)('words that fit stand verbatim through any number of condensations: %s', async (_, condensers) => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 3, maxLength: 12 }), async (messages) => {
      const log = logBuilder();
      log.system();
      let generations = 0;
      for (const [index, text] of messages.entries()) {
        log.user(`${index}: ${text}`);
        log.environment(`preamble ${index}`);
        for (let step = 0; step < 6; step++) {
          log.call(
            'edit',
            { path: `src/${'folder/'.repeat(20)}${index}-${step}.ts`, newText: 'b'.repeat(900) },
            'done '.repeat(200),
          );
          for (const condenser of condensers(1_400)) if (await condense(log, condenser)) generations++;
        }
      }
      expect(generations).toBeGreaterThan(2);
      const text = shown(log);
      for (const [index, said] of messages.entries()) expect(text).toContain(`${index}: ${said}`.trim());
      for (const event of View.fromEvents(log.events).events) {
        if (event.type === 'condensation-summary') expect(event.summary).not.toContain('preamble');
      }
    }),
    { seed: 20_261_122, numRuns: fewer(12) },
  );
});

test('words that a summary of another condenser has hidden stand there again', async () => {
  const log = logBuilder();
  log.user('Make it faster.');
  log.user('Never touch the lock file.');
  for (let step = 0; step < 8; step++) log.call('read_file', { path: `src/${step}.ts` }, 'text '.repeat(200));
  log.condensation(View.fromEvents(log.events).events.slice(1, 9), {
    summary: 'A model wrote this.',
    summaryOffset: 1,
  });
  for (let step = 8; step < 30; step++) log.call('read_file', { path: `src/${step}.ts` }, 'text '.repeat(200));
  log.user('Go on.');
  expect(shown(log)).not.toContain('Never touch the lock file.');
  expect(await condense(log, extractiveSummaryCondenser({ maxSize: 16, keepFirst: 1 }))).toBe(true);
  expect(shown(log)).toContain('- Never touch the lock file.');
});

test('the words of the user have a room of their own, beside that of the facts', async () => {
  const log = logBuilder();
  log.user('The request.');
  for (let step = 0; step < 60; step++) {
    log.user(`Message ${step}: ${'please '.repeat(60)}`);
    log.call('edit', { path: `src/${'folder/'.repeat(8)}${step}.ts`, newText: 'b'.repeat(2_000) }, 'done '.repeat(100));
    log.agent('Done.');
  }
  const summaryWith = async (maxUserWordTokens: number) => {
    const result = await extractiveSummaryCondenser({
      maxSize: 100,
      maxSummaryTokens: 2_000,
      maxUserWordTokens,
    }).condense(View.fromEvents(log.events), { report: () => {} });
    return isCondensation(result) ? (result.summary ?? '') : '';
  };
  const [none, few, many] = [await summaryWith(0), await summaryWith(300), await summaryWith(1_500)];
  const messages = (summary: string) => summary.split('- Message ').length - 1;
  expect(messages(many)).toBeGreaterThan(messages(few) * 2);
  const files = (summary: string) => summary.split('(modified)').length;
  expect(files(none)).toBeGreaterThan(5);
  expect([files(few), files(many)]).toEqual([files(none), files(none)]);
  expect(none).not.toContain('The request.');
  expect(messages(none)).toBe(0);
});

test.each([-1, 0.5])('%j tokens for the words of the user are refused', (maxUserWordTokens) => {
  expect(() => extractiveSummaryCondenser({ maxUserWordTokens })).toThrow('maxUserWordTokens');
});
