import { expect, test } from 'vitest';
import { alignedTable } from './table.js';

test('a table has its first column on the left and the others on the right, by the width that is seen', () => {
  const cells = [
    ['name', 'size'],
    ['日本', '1'],
    ['a longer one', '1,000'],
  ];
  expect(alignedTable(cells, (text) => `<${text}>`)).toBe(
    ['<name           size>', '日本              1', 'a longer one  1,000'].join('\n'),
  );
});
