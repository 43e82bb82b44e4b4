import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LimitedOutput } from './limited-output.js';

const outputOf = (limit: number, pieces: readonly string[]) => {
  const output = new LimitedOutput(limit);
  for (const piece of pieces) output.add(piece);
  return output;
};

/**
 * Any character but half a surrogate pair. `unit: 'binary'` of fast-check is the same, with a map of all 1,112,064 characters that it
 * makes when the first text is asked for: nearly a second, and 80 MB that stay. With the way back, texts such as `__proto__` are tried.
 */
const anyCharacter = fc
  .nat(0x10_ff_ff)
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map(
    (code) => String.fromCodePoint(code),
    (text) => String(text).codePointAt(0) ?? Number.NaN,
  );

test('keeps all that fits, in whatever pieces it comes, and cuts no character in two', () => {
  const pieces = fc.array(fc.string({ unit: anyCharacter, maxLength: 8 }), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 2, max: 40 }), (written, limit) => {
      const whole = written.join('');
      const output = outputOf(limit, written);
      expect(output.length).toBe(whole.length);
      expect(output.isCut).toBe(whole.length > limit);
      const shown = output.toString();
      expect(shown.isWellFormed()).toBe(true);
      if (!output.isCut) {
        expect(shown).toBe(whole);
        return;
      }
      const [, head = '', left, tail = ''] = /^([^]*)\n\[… (\d+) characters left out …\]\n([^]*)$/.exec(shown) ?? [];
      expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
      expect(head.length + Number(left) + tail.length).toBe(whole.length);
      expect(head.length + tail.length).toBeLessThanOrEqual(limit);
      expect(head.length + tail.length).toBeGreaterThanOrEqual(limit - 2);
    }),
    { seed: 20_261_122, numRuns: 500 },
  );
});

test('a cut inside of a character leaves the character out', () => {
  expect(outputOf(6, ['ab😀', 'cd😀ef']).toString()).toBe('ab\n[… 4 characters left out …]\n😀ef');
});
