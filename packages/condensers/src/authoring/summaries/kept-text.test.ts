import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutToFit, factSection, keptFacts, keptWords, wordsHeading } from './kept-text.js';

/** Any way to count: four characters a token, one, or words. */
const counts: readonly ((text: string) => number)[] = [
  (text) => Math.ceil(text.length / 4) + 4,
  (text) => text.length,
  (text) => text.split(/\s+/).length,
];
const message = fc.oneof(fc.string(), fc.string({ minLength: 200, maxLength: 3_000 }), fc.constant('line\nline'));
const subject = {
  words: fc.array(message, { maxLength: 12 }),
  maxTokens: fc.nat(1_500),
  sizeOf: fc.constantFrom(...counts),
};

describe('the words of the user', () => {
  test('never take more than their room, and are whole and in order where they fit', () => {
    let whole = 0;
    fc.assert(
      fc.property(fc.record(subject), ({ words, ...room }) => {
        const { section, shown } = keptWords(words, room);
        expect(room.sizeOf(section) <= room.maxTokens || section === '').toBe(true);
        for (const text of shown) expect(section).toContain(text);
        const all = [wordsHeading, ...words.map((text) => `- ${text}`)].join('\n');
        const fits = words.length > 0 && all.length <= room.maxTokens * 4 && room.sizeOf(all) <= room.maxTokens;
        if (fits) {
          whole++;
          expect(shown).toEqual(words);
          expect(section).toBe(all);
        }
      }),
      { seed: 20_261_122, numRuns: 500 },
    );
    expect(whole).toBeGreaterThan(50);
  });

  test('if they do not fit, long ones are cut in the middle, and the oldest go last of all', () => {
    const words = ['the first ' + 'x'.repeat(4_000), 'Use tabs.', 'the last ' + 'y'.repeat(4_000)];
    const room = { maxTokens: 500, sizeOf: counts[0] as (text: string) => number };
    const { shown } = keptWords(words, room);
    expect(shown).toHaveLength(3);
    expect(shown[0]).toMatch(/^the first x+\n\[… \d+ characters left out …\]\nx+$/);
    expect(shown[1]).toBe('Use tabs.');
    expect((shown[2] as string).length).toBeGreaterThan((shown[0] as string).length);
    const fewer = keptWords(words, { ...room, maxTokens: 70 });
    expect(fewer.section).toContain('- (1 older left out)\n- Use tabs.');
  });
});

test('facts: as many as fit, the first ones', () => {
  const facts = Array.from({ length: 50 }, (_, index) => ({
    text: `File modified: src/${index}.ts`,
    name: `${index}`,
  }));
  const room = { maxTokens: 100, sizeOf: counts[0] as (text: string) => number };
  const kept = keptFacts(facts, room);
  expect(kept).toEqual(facts.slice(0, kept.length));
  expect(kept.length).toBeGreaterThan(5);
  expect(room.sizeOf(factSection(kept))).toBeLessThanOrEqual(100);
  expect(keptFacts(facts, { ...room, maxTokens: 3 })).toEqual([]);
});

test('a text that is too long is cut to its room, by any count', () => {
  for (const sizeOf of counts) {
    const text = 'some words of it '.repeat(500);
    const cut = cutToFit(text, { maxTokens: 200, sizeOf });
    expect(sizeOf(cut)).toBeLessThanOrEqual(200);
    expect(sizeOf(cut)).toBeGreaterThan(140);
    expect(cutToFit('short', { maxTokens: 200, sizeOf })).toBe('short');
  }
});
