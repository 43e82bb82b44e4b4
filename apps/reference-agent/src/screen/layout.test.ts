import { expect, test } from 'vitest';
import { plainStyles } from '../../test-support/screen-rig.js';
import { breakAtWidth, columnsOf, cutLine, drawLines, wrapText } from './layout.js';

test.each([20, 60, 200])('at %i columns no line is wider, plain, coloured or of wide characters', (width) => {
  const plain = 'x'.repeat(width + 1);
  for (const text of [plain, `\u001b[31m${plain}\u001b[0m`, '漢'.repeat(width)]) {
    for (const line of [cutLine(text, width), ...wrapText(text, width), ...breakAtWidth(text, width)]) {
      expect(columnsOf(line)).toBeLessThanOrEqual(width);
    }
  }
});

test('what is wrapped goes on behind its lead; a lead that leaves no room has its own line', () => {
  const line = { text: 'one two  three', lead: '$ ', indent: 2 };
  expect(drawLines([line], 12, plainStyles)).toEqual(['  $ one two', '    three']);
  expect(drawLines([{ ...line, isVerbatim: true }], 12, plainStyles)).toEqual(['  $ one two ', '     three']);
  expect(drawLines([{ text: 'one', lead: 'a long name: ' }], 16, plainStyles)).toEqual(['a long name: ', '  one']);
  expect(drawLines([{ text: 'one two', style: 'added', lead: '12 ' }], 8, plainStyles)).toEqual([
    '+ 12 ',
    '  one',
    '  two',
  ]);
});
