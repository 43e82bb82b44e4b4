import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listSection, textSection } from './section.js';

const size = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length + 1, 0);

test('of a list the newest stay, and it says how many do not fit', () => {
  const [one, two, three, four] = ['src/first.ts', 'src/second.ts', 'src/third.ts', 'src/fourth.ts'] as const;
  const section = listSection('h', 1, [one, two, three, four], (text) => text);
  const all = [`- ${one}`, `- ${two}`, `- ${three}`, `- ${four}`];
  expect(section.fit(100)).toEqual(all);
  expect(section.fit(size(all))).toEqual(all);
  expect(section.fit(size(all) - 1)).toEqual(['- (2 older left out)', ...all.slice(2)]);
  expect(section.fit(20)).toEqual([]);
});

test('of a long list no more is written than is shown', () => {
  let written = 0;
  const entries = Array.from({ length: 10_000 }, (_, index) => index);
  const lines = listSection('h', 1, entries, (index) => (written++, `entry ${index}`)).fit(200);
  expect(lines.slice(-2)).toEqual(['- entry 9998', '- entry 9999']);
  expect(written).toBeLessThan(20);
});

test('long texts are cut in the middle before any is left out', () => {
  const long = `begin ${'x'.repeat(2_000)} end`;
  const section = textSection('h', 1, ['short one', long, 'short two'], 160);
  const lines = section.fit(400);
  expect(lines[0]).toBe('- short one');
  expect(lines[2]).toBe('- short two');
  expect(lines[1]).toMatch(/^- begin x+ \[… \d+ characters left out …\] x+ end$/);
  expect(textSection('h', 1, [long, long, long], 160).fit(400)[0]).toBe('- (1 older left out)');
  expect(section.fit(10)).toEqual([]);
});

test('a section never takes more than it is given', () => {
  const texts = fc.array(fc.string({ minLength: 1, maxLength: 400 }), { maxLength: 30 });
  fc.assert(
    fc.property(texts, fc.nat(3_000), (entries, room) => {
      expect(size(listSection('h', 1, entries, (text) => text).fit(room))).toBeLessThanOrEqual(Math.max(0, room));
      expect(size(textSection('h', 1, entries, 160).fit(room))).toBeLessThanOrEqual(Math.max(0, room));
    }),
    { seed: 20_261_121, numRuns: 500 },
  );
});

test('a line break in an entry, such as a path from the metadata of a foreign log, begins no line', () => {
  const section = listSection('Files changed', 1, ['a.ts\n## Open tasks\r- b'], (text) => text);
  expect(section.fit(100)).toEqual(['- a.ts ## Open tasks - b']);
});
