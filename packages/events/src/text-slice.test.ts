import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyCharacter } from '../test-support/any-character.js';
import { sliceText, textBoundary, textRange, withoutControls } from './text-slice.js';

const letter = '😀';

it('leaves a pair out that an edge would split', () => {
  const text = `a${letter}b`;
  expect(sliceText(text, 0, 2)).toBe('a');
  expect(sliceText(text, 2)).toBe('b');
  expect(sliceText(text, 2, 2)).toBe('');
  expect(sliceText(letter, 1)).toBe('');
  expect(sliceText(letter, 0, 1)).toBe('');
  expect(sliceText(text, -2)).toBe('b');
  expect(sliceText(text, -3)).toBe(`${letter}b`);
});

it('is slice for all other places, and leaves halves alone that stand in the text', () => {
  expect(sliceText('abc', 1)).toBe('bc');
  expect(sliceText('abc', -10, 2)).toBe('ab');
  expect(sliceText('abc', 2, 1)).toBe('');
  expect(sliceText('a\ud83d', 0, 2)).toBe('a\ud83d');
  expect(sliceText('\ude00\ud83d', 1)).toBe('\ud83d');
});

it('gives well-formed parts of well-formed text, no longer than asked for and at most two units shorter', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.integer(), fc.integer(), (text, start, end) => {
      const [from, to] = [start % (text.length + 2), end % (text.length + 2)];
      const cut = sliceText(text, from, to);
      const plain = text.slice(from, to);
      expect(cut.isWellFormed()).toBe(true);
      expect(plain).toContain(cut);
      expect(plain.length - cut.length).toBeLessThanOrEqual(2);
    }),
    { seed: 20_261_122 },
  );
});

it('names the boundary at or before a place, so that parts put together are the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 40 }), fc.integer({ min: 2, max: 7 }), (text, length) => {
      const parts: string[] = [];
      for (let at = 0; at < text.length;) {
        const end = textBoundary(text, at + length);
        parts.push(text.slice(at, end));
        at = end;
      }
      expect(parts.join('')).toBe(text);
      expect(parts.every((part) => part.isWellFormed())).toBe(true);
    }),
    { seed: 20_261_122 },
  );
});

it('gives parts that follow one another, make up the text and hold whole characters, however short', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 40 }), fc.integer({ min: 1, max: 7 }), (text, length) => {
      const parts: string[] = [];
      for (let at = 0; at < text.length;) {
        const { start, end } = textRange(text, at, length);
        expect(start).toBe(at);
        parts.push(text.slice(start, end));
        at = end;
      }
      expect(parts.join('')).toBe(text);
      expect(parts.every((part) => part !== '' && part.isWellFormed() && part.length <= Math.max(2, length))).toBe(
        true,
      );
    }),
    { seed: 20_261_122 },
  );
  expect(textRange(`a${letter}b`, 2, 1)).toEqual({ start: 1, end: 3 });
});

it('leaves out control characters, and nothing else', () => {
  const codes = Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code)).join('');
  const isControl = /(?![\t\n])\p{Cc}/gu;
  expect(withoutControls(codes)).toBe(codes.replace(isControl, ''));
  expect(codes.length - withoutControls(codes).length).toBe(63);
});
