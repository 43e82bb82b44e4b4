import { expect, test } from 'vitest';
import { factsNotIn } from './range.js';

const fact = (name: string) => ({ text: `File modified: ${name}`, name });

test.each([
  ['stands alone', 'src/a.ts', 'src/a.ts', true],
  ['in a sentence, at its end', 'src/a.ts', 'Changed src/a.ts.', true],
  ['in quotes and brackets', 'src/a.ts', '(see `src/a.ts`)', true],
  ['as the beginning of a longer name', 'src/a.ts', 'src/a.tsx', false],
  ['as the end of another path', 'src/a.ts', 'lib/src/a.ts', false],
  ['as the end of another name', 'a.ts', 'data.ts', false],
  ['before another extension', 'src/a', 'src/a.ts', false],
  ['an absolute path inside of another', '/repo/a.ts', 'x/repo/a.ts', false],
  ['first as a part, then alone', 'src/a.ts', 'src/a.tsx and src/a.ts', true],
  ['over a line break', 'fix the parser', 'to do: fix\n  the parser', true],
  ['in other letters', 'README.md', 'readme.md', false],
  ['with brackets at its end', 'test_x[1]', 'test_x[1] fails', true],
])('a name that stands %s', (_, name, text, isNamed) => {
  expect(factsNotIn(text, [fact(name)])).toEqual(isNamed ? [] : [fact(name)]);
});
