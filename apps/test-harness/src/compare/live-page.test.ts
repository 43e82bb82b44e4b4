import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { costOf, pricesAt } from '@palimpsest/llm-adapters';
import { expect, test } from 'vitest';
import { simulatedTrials } from '../../test-support/simulated-trials.js';
import { compareMeasure } from './compare-measure.js';
import type { Verdict } from './compare-measure.js';
import { measures } from './measures.js';
import { pairedTasks } from './paired-tasks.js';

const page = await readFile(fileURLToPath(new URL('../../../../docs/live.md', import.meta.url)), 'utf8');

/** The lines of the table below a heading, without its head, as cells. */
function tableBelow(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const table = section.split('\n\n').find((part) => part.startsWith('|')) ?? '';
  return table
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const experiments = 1_000;

/** Returns in how many of a hundred experiments a true saving and a true loss are seen for what they are. */
function seen(tasks: number, trials: number, truth: { readonly saving: number; readonly loss: number }): string[] {
  const found = { cost: 0, solved: 0 };
  const expected: Record<keyof typeof found, Verdict> = { cost: 'better', solved: 'worse' };
  for (const results of simulatedTrials({ tasks, trials, ...truth }, { experiments, seed: 1 })) {
    const of = (name: string): typeof results => results.filter(({ arm }) => arm === name);
    const paired = pairedTasks(of('none'), of('arm'));
    for (const measure of measures) {
      const { name } = measure;
      if (name !== 'cost' && name !== 'solved') continue;
      if (compareMeasure(paired, measure)?.verdict === expected[name]) found[name]++;
    }
  }
  return [found.cost, found.solved].map((times) => `${Math.round((100 * times) / experiments)} %`);
}

test('the page says what experiments of these sizes see', () => {
  const rows = tableBelow('What an experiment can show');
  expect(rows.length).toBeGreaterThan(4);
  for (const [name = '', saving10, saving20, loss10, loss20] of rows) {
    const [tasks = 0, trials = 0] = name.split(' × ').map(Number);
    const small = seen(tasks, trials, { saving: 0.1, loss: 0.1 });
    const large = seen(tasks, trials, { saving: 0.2, loss: 0.2 });
    expect([name, small[0], large[0], small[1], large[1]]).toEqual([name, saving10, saving20, loss10, loss20]);
  }
});

/**
 * A run without condensation, in the mean of the six families of size 24, as so many requests of one size: long prompts have other prices. A model
 * with a script writes next to nothing; 300 tokens of output a request are assumed.
 */
const requests = 48;
const request = {
  uncachedInputTokens: 4_000 / requests,
  cacheReadTokens: 1_420_000 / requests,
  cacheWriteTokens: 50_000 / requests,
  outputTokens: 14_500 / requests,
};

test('the page says what the command costs at the prices of its day', () => {
  const rows = tableBelow('With a key of your own');
  expect(rows.length).toBe(3);
  for (const [name = '', ...costs] of rows) {
    const prices = pricesAt(name.replaceAll('`', ''), new Date('2026-11-28'));
    const cost = prices === undefined ? Number.NaN : requests * costOf(request, prices);
    const dollars = (value: number, digits: number): string => `$${value.toFixed(digits)}`;
    expect([name, ...costs]).toEqual([
      name,
      dollars(cost, 2),
      dollars(cost * 24 * 2, 0),
      dollars(cost * 48 * 3 * 2, 0),
      dollars(cost * 100 * 3 * 2, 0),
    ]);
  }
});
