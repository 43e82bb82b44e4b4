import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const source = new URL('./', import.meta.url);
const page = readFileSync(new URL('../docs/source.md', import.meta.url), 'utf8');
const named = [...page.matchAll(/^\| `([\w/-]+\.ts)` *\|/gm)].map((match) => match[1] ?? '');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(file));

test('docs/source.md names every file of the source once, with what it holds, and no other', () => {
  expect([...named].sort()).toEqual([...files].sort());
});
