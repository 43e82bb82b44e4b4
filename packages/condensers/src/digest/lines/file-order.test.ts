import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fewer } from '../../../test-support/fewer.js';
import { inFileOrder } from './file-order.js';
import { gap, textLine } from './text-lines.js';
import type { TextLine } from './text-lines.js';

/** Lines long enough to be known by: `a` stands for the line a. */
function text(names: string, firstNumber?: number): readonly TextLine[] {
  return [...names].map((name, index) =>
    name === '|' ? gap : textLine(`the line with name ${name}`, firstNumber && firstNumber + index),
  );
}

function gone(names: string): readonly TextLine[] {
  return text(names).map((line) => ({ ...line, isGone: true }));
}

function namesOf(lines: readonly TextLine[]): string {
  return lines.map(({ key }) => key.at(-1)).join('');
}

test('what a newer text puts between two lines stands between them', () => {
  expect(namesOf(inFileOrder([text('abcdef'), text('bxyc')]))).toBe('abxycdef');
});

test('what only an older text has stays where it stood', () => {
  expect(namesOf(inFileOrder([text('abcdef'), text('cxe')]))).toBe('abcxdef');
});

test('lines before the first common one stand before it', () => {
  expect(namesOf(inFileOrder([text('cdef'), text('abc')]))).toBe('abcdef');
});

test('what replaces a line stands in its place', () => {
  expect(namesOf(inFileOrder([text('abcd'), [...text('xy'), ...gone('b')]]))).toBe('axybcd');
});

test('two replacements of one call each find their place', () => {
  expect(namesOf(inFileOrder([text('abcdef'), [...text('ex|bz'), ...gone('c')]]))).toBe('abzcdexf');
});

test('parts of a file that share no line stand by their numbers, and without a number at the end', () => {
  expect(namesOf(inFileOrder([text('mno', 40), text('abc', 1), text('xy'), text('ghi', 20)]))).toBe('abcghimnoxy');
});

test('a text that comes again adds nothing', () => {
  const brackets = [...text('ab'), textLine('}'), ...text('c'), textLine('}'), ...text('d')];
  expect(inFileOrder([brackets, [...brackets], [...brackets]])).toEqual(brackets);
});

test('lines of one text never swap, and of each line the newest stands in the order', () => {
  const line = fc.record({ name: fc.constantFrom(...'abcdefgh}'), isGone: fc.boolean(), hasNumber: fc.boolean() });
  const lines = fc.array(line, { maxLength: 12 }).map((drawn) =>
    drawn.map(({ name, isGone, hasNumber }, index): TextLine => {
      const key = name === '}' ? name : `the line with name ${name}`;
      return { text: key, key, ...(hasNumber && { number: index }), ...(isGone && index > 8 && { isGone }) };
    }),
  );
  fc.assert(
    fc.property(fc.array(lines, { maxLength: 6 }), (texts) => {
      const order = inFileOrder(texts);
      expect(new Set(order).size).toBe(order.length);
      for (const own of texts) {
        const places = own.map((each) => order.indexOf(each)).filter((place) => place !== -1);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
      }
      const newest = new Map(texts.flat().flatMap((each) => (each.isGone ? [] : [[each.key, each] as const])));
      for (const each of newest.values()) expect(order).toContain(each);
      for (const each of order) expect(each.isGone).toBeUndefined();
    }),
    { numRuns: fewer(1_000) },
  );
});
