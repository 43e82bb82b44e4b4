import { addressOf } from '@palimpsest/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutNote } from './manifest.prompt.js';
import { userWordsSection } from './user-words.js';

const section = (texts: readonly string[], beginsWithRequest = true) => {
  const textOf = (id: string): string => texts[Number(id)] ?? '';
  return userWordsSection('h', [...texts.keys()].map(String), { textOf, beginsWithRequest });
};
const size = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length + 1, 0);

test('what fits stands word for word, oldest first', () => {
  const texts = ['Make it faster.\n\n  Keep the API.', 'No, the other one.', 'x'.repeat(900)];
  const all = texts.map((text) => `- ${text}`);
  expect(section(texts).fit(size(all))).toEqual(all);
  expect(section([]).isEmpty).toBe(true);
  expect(section(['']).isEmpty).toBe(true);
});

test('the first message and the newest stay, and it says how many do not', () => {
  const texts = ['The request.', ...Array.from({ length: 50 }, (_, index) => `Message ${index} of the user.`)];
  const lines = section(texts).fit(140);
  expect(lines[0]).toBe('- The request.');
  expect(lines[1]).toMatch(/^- \(\d+ older left out\)$/);
  expect(lines.slice(2)).toEqual(texts.slice(-(lines.length - 2)).map((text) => `- ${text}`));
  expect(lines.length).toBeGreaterThan(4);
  expect(Number(/\d+/.exec(lines[1] ?? '')?.[0]) + lines.length - 1).toBe(texts.length);
});

test('where the request is still shown, the first of what is told is no more than the others', () => {
  const texts = ['yes', ...Array.from({ length: 50 }, (_, index) => `Message ${index} of the user.`)];
  const lines = section(texts, false).fit(140);
  expect(lines[0]).toMatch(/^- \(\d+ older left out\)$/);
  expect(lines.at(-1)).toBe('- Message 49 of the user.');
  expect(lines).not.toContain('- yes');
  expect(section(['one', 'two'], false).fit(100)).toEqual(['- one', '- two']);
});

test('a long message is cut in the middle, says how much is left out, and where', () => {
  const long = `begin ${'x'.repeat(5_000)} end`;
  const [head, first, second, third] = section(['short one', long, 'short two']).fit(1_000);
  expect([head, first, third]).toEqual([cutNote, '- short one', '- short two']);
  const [, left, address] = / \[… (\d+) characters left out, address (\w{8})\] /.exec(second ?? '') ?? [];
  expect(address).toBe(addressOf('1'));
  expect(second).toMatch(/^- begin x+ .* x+ end$/);
  expect([...(second ?? '').matchAll(/x/g)].length - 1).toBe(5_000 - Number(left));
});

test('a message that is sent again and again stands once, where it was sent last', () => {
  const texts = ['Go.', 'commit and continue', 'Not that file!', 'commit and continue', 'commit and continue'];
  expect(section(texts).fit(500)).toEqual(['- Go.', '- Not that file!', '- commit and continue (3 times)']);
});

test('messages that are left out are not read', () => {
  let read = 0;
  const ids = Array.from({ length: 10_000 }, (_, index) => `${index}`);
  const textOf = (id: string): string => (read++, `message ${id}`);
  userWordsSection('h', ids, { textOf, beginsWithRequest: true }).fit(300);
  expect(read).toBeLessThan(40);
});

test('it never takes more than it is given, and gives all as it is if all fit', () => {
  const texts = fc.array(fc.oneof(fc.string({ maxLength: 900 }), fc.constantFrom('yes', 'go on')), { maxLength: 30 });
  fc.assert(
    fc.property(texts, fc.nat(3_000), fc.boolean(), (said, room, beginsWithRequest) => {
      const lines = section(said, beginsWithRequest).fit(room);
      expect(size(lines)).toBeLessThanOrEqual(room);
      const whole = new Set(said.filter((text) => text !== ''));
      if (size([...whole].map((text) => `- ${text} (99 times)`)) > room) return;
      for (const text of whole) expect(lines.join('\n')).toContain(text.toWellFormed());
    }),
    { seed: 20_261_122, numRuns: 500 },
  );
});
