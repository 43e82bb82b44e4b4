import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PlainText } from './plain-text.js';

/** Returns what is read of an output that comes in these pieces. */
function plain(...pieces: readonly string[]): string {
  let text = '';
  const output = new PlainText((part) => (text += part));
  for (const piece of pieces) output.write(piece);
  output.end();
  return text;
}

test('colours, moves, titles, links and other sequences are not read', () => {
  expect(plain('\u001b[1;31mred\u001b[0m \u001b[2K\u001b[?25lshown\n')).toBe('red shown\n');
  expect(plain('\u001b]0;title\u0007a\u001b]8;;https://a.example\u001b\\link\u001b]8;;\u001b\\\n')).toBe('alink\n');
  expect(plain('\u001bPdevice\u001b\\b\u001b(0c\u001b7d\u001bc\u009b31me\n')).toBe('bcde\n');
  expect(plain('\u001b]0;never ended\nnext\n')).toBe('\nnext\n');
  expect(plain('bell\u0007, back\b\b\b\bover\n', 'N\bNA\bAM\bME\bE\n')).toBe('bell, over\nNAME\n');
});

test('of a progress bar the last state is read', () => {
  const bar = Array.from({ length: 1_000 }, (_, step) => `\r${step / 10} %`).join('');
  expect(plain(`begin\n${bar}\r100 %\ndone\r\n`)).toBe('begin\n100 %\ndone\n');
  expect(plain('a\r', 'b\r', '\nc')).toBe('b\nc');
});

test('what is no text is counted', () => {
  const binary = '\u0000\u0001\ufffd\ufffd\u0002'.repeat(200);
  expect(plain('before\n', `${binary}\n`, `${binary}\n`, 'after\n')).toBe(
    'before\n[… 2002 characters that are no text …]\nafter\n',
  );
  expect(plain('a.txt\0b.txt\0\n')).toBe('a.txt\nb.txt\n\n');
  // Latin letters in another encoding are still text.
  expect(plain('stra\ufffde und gr\ufffd\ufffde\n')).toBe('stra\ufffde und gr\ufffd\ufffde\n');
});

test('a text is read as it is, in whatever pieces it comes', () => {
  const unit = fc.constantFrom('a', ' ', '\t', '\n', 'ß', '😀', '\u001b[31m', '\r\n', 'x\by');
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 40 }), fc.array(fc.nat(60), { maxLength: 5 }), (units, cuts) => {
      const whole = units.join('');
      const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((a, b) => a - b), whole.length];
      const pieces = places.slice(1).map((end, index) => whole.slice(places[index], end));
      const expected = whole.replaceAll('\u001b[31m', '').replaceAll('\r\n', '\n').replaceAll('x\by', 'y');
      expect(plain(...pieces)).toBe(expected);
    }),
  );
});

test('a line without an end is handed on in parts, and no sequence or character is cut', () => {
  const part = `${'x'.repeat(997)}😀\u001b[31m`;
  const pieces = Array.from({ length: 500 }, () => part);
  expect(plain(...pieces)).toBe(`${'x'.repeat(997)}😀`.repeat(500));
});

test('hostile sequences cost no more than their length', () => {
  for (const piece of ['\u001b', '\u001b[', '\u001b]', '\u001b]0;', '\u001b[1;', '\r', '\b', '\u0000', 'a\b']) {
    // Quadratic work would take minutes here.
    expect(plain(piece.repeat(500_000)).length).toBeLessThan(1_000_000);
  }
});
