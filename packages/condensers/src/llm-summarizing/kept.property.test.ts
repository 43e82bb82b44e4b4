import { logBuilder } from '@palimpsest/events/testing';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { isCondensation, View } from '@palimpsest/view';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fewer } from '../../test-support/fewer.js';
import { factsHeading, wordsHeading } from '../authoring/summaries/kept-text.js';
import { factsNotIn } from '../authoring/summaries/range.js';
import { llmSummarizingCondenser } from './llm-summarizing.js';

/** One step of a session; each has its number in its texts, so that no two are the same. */
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ says: fc.stringMatching(/^[a-z <>/&\n-]{5,60}$/) }) },
  { weight: 2, arbitrary: fc.record({ edits: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ plans: fc.nat(3) }) },
  { weight: 8, arbitrary: fc.record({ reads: fc.nat(1_000) }) },
);

/** How the model answers: which of the facts that it is given it names, and how long it is. */
const manner = fc.record({ names: fc.nat(7), length: fc.constantFrom(1, 40, 3_000) });

test('through any number of summaries: the words are whole, the budget is kept, what is lost is appended, and once', async () => {
  const seen = { condensations: 0, words: 0, appended: 0, named: 0, cut: 0 };
  const subject = {
    steps: fc.array(step, { minLength: 60, maxLength: 120 }),
    manners: fc.array(manner, { minLength: 1 }),
  };
  await fc.assert(
    fc.asyncProperty(fc.record(subject), async ({ steps, manners }) => {
      const maxSummaryTokens = 1_200;
      let told: readonly string[] = [];
      let given: readonly string[] = [];
      let asked = 0;
      const llm = scriptedLLM({
        script: ({ messages }) => {
          const { names, length } = manners[asked++ % manners.length] as (typeof manners)[number];
          const prompt = JSON.parse(JSON.stringify(messages[0]?.content[0])) as { readonly text: string };
          told = /<facts>\n([^]*?)\n<\/facts>/.exec(prompt.text)?.[1]?.split('\n') ?? [];
          given = told.filter((_, index) => names !== 0 && index % names === 0);
          return `${given.join('\n')}\n${'A word. '.repeat(length)}`;
        },
      });
      const condenser = llmSummarizingCondenser({ llm, maxSize: 24, keepFirst: 2, maxSummaryTokens });
      const log = logBuilder();
      log.system();
      log.user('The task.');
      const said: { readonly id: string; readonly text: string }[] = [];
      for (const [index, one] of steps.entries()) {
        if ('says' in one) {
          const text = `${index}: ${one.says.trim()}`;
          said.push({ id: log.user(text).id, text });
          log.agent('Yes.');
        } else if ('edits' in one) {
          log.call('str_replace', { path: `src/file-${one.edits}.ts`, old_str: 'a', new_str: 'b' }, 'ok '.repeat(100));
        } else if ('plans' in one) {
          const todos = [{ content: `Step ${one.plans} of it`, status: 'pending' }];
          log.call('todo_write', { todos }, 'ok '.repeat(100));
        } else {
          log.call('read_file', { path: `lib/${one.reads}.ts` }, `${index} of it `.repeat(100));
        }
        const view = View.fromEvents(log.events);
        const result = await condenser.condense(view, {});
        if (!isCondensation(result)) continue;
        log.add(result);
        seen.condensations++;
        const after = View.fromEvents(log.events);
        const summary = [...after.events].find(({ type }) => type === 'condensation-summary');
        if (summary?.type !== 'condensation-summary') throw new Error('there is no summary');
        expect(after.tokensOf(summary)).toBeLessThanOrEqual(maxSummaryTokens);
        const [written = '', ...behind] = summary.summary.split(`\n\n${wordsHeading}\n`);
        const words = behind.join().split(`\n\n${factsHeading}\n`)[0] ?? '';
        for (const { id, text } of said) {
          if (after.indexOf(id) !== undefined) continue;
          seen.words++;
          expect(words, 'all of it, word for word').toContain(`- ${text}`);
          expect(words.split(`- ${text}`), 'once').toHaveLength(2);
        }
        if (written.includes('characters left out')) seen.cut++;
        const named = told.map((line) => ({ text: line, name: line.replace(/^- (?:File \w+|[^:]+): /, '') }));
        expect(factsNotIn(summary.summary, named)).toEqual([]);
        const appended = summary.summary.split(factsHeading)[1] ?? '';
        if (appended !== '') seen.appended++;
        if (written.includes('characters left out')) continue;
        for (const fact of given) {
          seen.named++;
          expect(`${appended}\n`, 'named already').not.toContain(`${fact}\n`);
        }
      }
    }),
    { seed: 20_261_122, numRuns: fewer(20), endOnFailure: true },
  );
  console.log(`seen: ${JSON.stringify(seen)}`);
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(fewer(20));
});
