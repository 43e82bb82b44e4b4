import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { defaultSizes, frameworks, installLine, ownLines } from './replay/own-lines.js';

const names = (file: string): Promise<string> =>
  readFile(new URL(`../../../../tools/checks/exported-names/${file}.txt`, import.meta.url), 'utf8');

test.each(frameworks)('what the lines for $name import is exported', async (framework) => {
  for (const sizes of [defaultSizes, { targetTokens: 9_000, maxLineTokens: 5_000 }]) {
    const lines = ownLines(framework, sizes);
    const imports = [...lines.matchAll(/import \{ (.*) \} from '@palimpsest\/([\w-]+)';/g)];
    expect(imports).toHaveLength(2);
    for (const [, imported = '', from = ''] of imports) {
      const exported = new Set((await names(from)).split('\n').map((line) => line.trim()));
      for (const name of imported.split(', ')) {
        expect(exported).toContain(name);
        expect(lines.split(name).length).toBeGreaterThan(2);
      }
      expect(installLine(framework)).toContain(`@palimpsest/${from}`);
    }
  }
});
