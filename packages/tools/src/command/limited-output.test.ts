import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LimitedOutput } from './limited-output.js';

const outputOf = (limit: number, pieces: readonly string[]) => {
  const output = new LimitedOutput(limit);
  for (const piece of pieces) output.add(piece);
  return output;
};

/** Any character; fast-check's unit 'binary' lists all 1.1 million of them first. */
const codePoint = fc
  .nat({ max: 0x10_f7_ff })
  .map((number) => String.fromCodePoint(number < 0xd8_00 ? number : number + 0x8_00));

test('keeps all that fits, in whatever pieces it comes, and cuts no character in two', () => {
  const pieces = fc.array(fc.string({ unit: codePoint, maxLength: 8 }), { maxLength: 12 });
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
