import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutToWidth, widthOf } from './cut-to-width.js';

const text = fc
  .array(fc.constantFrom('a', 'word ', '漢', '→', '…', '“', 'é', '👩‍👩‍👧', '🇨🇭', '\u0301', 'x'.repeat(9)), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''));

test('no line is wider than asked, and it is cut only at its end', () => {
  fc.assert(
    fc.property(text, fc.nat(60), (line, width) => {
      const cut = cutToWidth(line, width);
      expect(widthOf(cut)).toBeLessThanOrEqual(width);
      if (widthOf(line) <= width) expect(cut).toBe(line);
      else if (width > 0) expect(line.startsWith(cut.slice(0, -1)) && cut.endsWith('…')).toBe(true);
    }),
    { seed: 20_261_123, numRuns: 500 },
  );
});

test('a text of known width is cut where it should be', () => {
  expect(cutToWidth('350→ slog.String("checkpoint_id")', 12)).toBe('350→ slog.S…');
  expect(cutToWidth('漢字漢字', 6)).toBe('漢字…');
  expect(cutToWidth('漢字', 4)).toBe('漢字');
});
