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

test('the first page has the figures of the results', async () => {
  const results = await read('apps/test-harness/docs/results.md');
  const [open, inLoop] = [rowsOf(results), rowsOf(results, 1)];
  const page = await read('README.md');
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
