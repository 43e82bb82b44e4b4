import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspaceRoot } from './workspace.js';

const read = (file: string): Promise<string> => readFile(path.join(workspaceRoot, file), 'utf8');

/** The rows of a table of long sessions, by what stands in the first column. */
function rowsOf(results: string, place = 0): ReadonlyMap<string, readonly string[]> {
  const [, section = ''] = results.split('## Long sessions');
  const table = section.split('\n\n').filter((part) => part.startsWith('|'))[place] ?? '';
  const rows = table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  return new Map(rows.map(([, name = '', ...cells]) => [name, cells]));
}

const figures = /^saved (\S+ %) \/ (\S+ %) \/ (\S+ %), worst (\S+ %), recall ((?:≥ )?\S+ %), (\S+ %) of the tokens$/;

// The figures stand in one place, results.md, and are repeated where somebody chooses a condenser.
test('the page of the condensers has the figures of the results', async () => {
  const rows = rowsOf(await read('apps/test-harness/docs/results.md'));
  const page = await read('packages/condensers/docs/condensers.md');
  let compared = 0;
  for (const [, name = '', rest = ''] of page.matchAll(/^## `(\w+)`\n([\s\S]*?)(?=\n## |$(?![\s\S]))/gm)) {
    for (const [, variant = '', text = ''] of rest.matchAll(/^- (.+?): (saved .+)$/gm)) {
      const row = rows.get(name === 'priced' ? `\`priced\`, ${variant}` : `\`${name}\``);
      expect(row, `${name}, ${variant}`).toBeDefined();
      const [saved10, saved5, saved2, , worst, , recall, , , sent] = row ?? [];
      expect(figures.exec(text)?.slice(1), `${name}, ${variant}`).toEqual([
        saved10,
        saved5,
        saved2,
        worst,
        recall,
        sent,
      ]);
      compared++;
    }
  }
  expect(compared).toBeGreaterThanOrEqual(9);
});

test.each(['README.md', 'site/pages/index.md'])('the first page has the figures of the results: %s', async (file) => {
  const results = await read('apps/test-harness/docs/results.md');
  const [open, inLoop] = [rowsOf(results), rowsOf(results, 1)];
  const page = await read(file);
  const rowOf = (name: string): readonly string[] => {
    const [saved, , , , , , recall] = open.get(name) ?? [];
    const [loop, , , worst] = inLoop.get(name) ?? [];
    return [saved, loop, worst, recall].map((figure) => figure ?? 'none');
  };
  const shown = [...page.matchAll(/^\| (.*?) +\| (\S+ %) +\| (\S+ %) +\| (\S+ %) +\| ((?:≥ )?\S+ %) +\|$/gm)];
  expect(shown.map(([, , ...cells]) => cells)).toEqual(
    ['`priced`, balanced', '`rival:adk`', '`recentEvents`'].map(rowOf),
  );
});

test.each([
  ['site/pages/choosing.md', 9],
  ['site/pages/versus/index.md', 9],
])('the table of %s has the figures of the results', async (file, count) => {
  const results = await read('apps/test-harness/docs/results.md');
  const [open, inLoop] = [rowsOf(results), rowsOf(results, 1)];
  const [, table = ''] = (await read(file)).split('which a test compares. -->\n\n');
  const rows = (table.split('\n\n')[0] ?? '').split('\n').slice(2);
  const shown = rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const expected = shown.map(([name = '']) => {
    const [saved10, saved5, saved2, , worst, , recall] = open.get(name) ?? [];
    return [name, saved10, saved5, saved2, worst, recall, inLoop.get(name)?.[0]];
  });
  expect(shown).toEqual(expected);
  expect(shown.length).toBe(count);
});

/** Sentences of the site that repeat figures of the results: the file, what stands before each figure, and where it is from. */
const sentences: readonly (readonly [string, RegExp, string, number])[] = [
  ['versus/anthropic.md', /it saves (\S+ %) of the bill/, '`rival:anthropic-clear-tool-uses`', 0],
  ['versus/anthropic.md', /where `priced` saves (\S+ %)/, '`priced`, balanced', 0],
  ['versus/langchain.md', /the summariser saves (\S+ %)/, '`rival:langchain-summarization`', 0],
  ['versus/langchain.md', /clearing of results (\S+ %)/, '`rival:langchain-clear-tool-uses`', 0],
  ['versus/langchain.md', /`priced` saves (\S+ %)/, '`priced`, balanced', 0],
  ['ideas/what-is-kept.md', /a digest with lines kept (\S+ %)/, '`digest`', 6],
  ['ideas/what-is-kept.md', /the facts alone\s+(\S+ %)/, '`extractiveSummary`', 6],
  ['ideas/what-is-kept.md', /window of the newest events (\S+ %)/, '`recentEvents`', 6],
];

test.each(sentences)('a sentence of %s: %s', async (file, sentence, name, column) => {
  const text = (await read(`site/pages/${file}`)).replaceAll(/\s+/g, ' ');
  const row = rowsOf(await read('apps/test-harness/docs/results.md')).get(name);
  expect(sentence.exec(text)?.[1]).toBe(row?.[column]);
});

// The bills of the loops over HTTP: the page on the ways in has them.
test.each([
  ['versus/anthropic.md', ['.911', '.410']],
  ['versus/ai-sdk.md', ['2.054', '.421', '1,679k', '7,536k', '1,751k']],
  ['versus/langchain.md', ['.704', '.670', '.415']],
])('the bills in %s are those of the ways in', async (file, bills) => {
  const [page, ways] = [await read(`site/pages/${file}`), await read('docs/ways-in.md')];
  for (const bill of bills) {
    expect(page).toContain(bill);
    expect(ways).toContain(` ${bill}`);
  }
});
