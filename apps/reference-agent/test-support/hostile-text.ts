import { CURSOR_MARKER } from '@mariozechner/pi-tui';
import fc from 'fast-check';
import { columnsOf } from '../src/screen/layout.js';
import type { Styles } from '../src/screen/layout.js';

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

/** Text of a model, a tool or a server that would drive the terminal, break a parser, or be wider than it seems. */
export const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 20 }),
      fc.constantFrom(
        '\u001b[2J',
        '\u001b]0;t\u0007',
        '\u009b31m',
        '\u001b_pi:c\u0007',
        '\u001b_Ga=T;x\u001b\\',
        '\r',
        '\t',
        '\n',
        '**',
        '```',
        '> ',
        '| a |\n|---|\n',
        '漢字',
        '👩‍👩‍👧',
        '\u202e',
        'a'.repeat(90),
        '[x](y)',
        '&#27;[2J',
        '\ud800',
        'ำ',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

const sgr = /\u001b\[[0-9;]*m/g;
const obeyed = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/**
 * Returns the fault of a line of the screen. Undefined if the line is no wider than asked and has no escape but our
 * colours.
 */
export function faultOf(line: string, width: number, { colours }: Styles): string | undefined {
  if (columnsOf(line) > width) return `wider than ${width}: ${JSON.stringify(line)}`;
  const bare = line.replace(CURSOR_MARKER, '');
  // Without colours there are resets, and the cursor that the library draws.
  const rest = colours.isColorSupported ? bare.replace(sgr, '') : bare.replace(/\u001b\[(?:0|7|27)?m/g, '');
  return obeyed.test(rest) ? `an escape: ${JSON.stringify(line)}` : undefined;
}
