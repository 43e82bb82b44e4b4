import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { apps, packages, plugins } from './workspace.js';

/** Defects of other systems in events, views, condensers and steps that are known by number: none of them may be here. */
const known = Array.from({ length: 20 }, (_, index) => `G${index + 1}`);

it('every known defect has a test that says its number in its title', () => {
  const titled = new Set<string>();
  for (const { directory } of [...packages, ...apps, ...plugins]) {
    const source = path.join(directory, 'src');
    for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.test.ts')) continue;
      const text = readFileSync(path.join(source, file), 'utf8');
      for (const [, title = ''] of text.matchAll(
        /\b(?:test|describe|it)(?:\.each[^(]*\([\s\S]*?\))?\(\s*['"`]([^'"`]*)/g,
      )) {
        for (const [number] of title.matchAll(/\bG\d+\b/g)) titled.add(number);
      }
    }
  }
  expect(known.filter((number) => !titled.has(number))).toEqual([]);
});
