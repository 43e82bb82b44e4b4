import { expect, test } from 'vitest';
import { breakAtWidth, columnsOf, cutLine, wrapText } from './layout.js';

test.each([20, 60, 200])('at %i columns no line is wider, plain, coloured or of wide characters', (width) => {
  const plain = 'x'.repeat(width + 1);
  for (const text of [plain, `\u001b[31m${plain}\u001b[0m`, '漢'.repeat(width)]) {
    for (const line of [cutLine(text, width), ...wrapText(text, width), ...breakAtWidth(text, width)]) {
      expect(columnsOf(line)).toBeLessThanOrEqual(width);
    }
  }
});
