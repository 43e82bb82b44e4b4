import fc from 'fast-check';

const surrogates = { from: 0xd8_00, count: 0x8_00 };

/**
 * Any character but half a surrogate pair. `unit: 'binary'` of fast-check is the same, with a map of all 1,112,064 characters that it
 * makes when the first text is asked for: nearly a second, and 80 MB that stay.
 */
export const anyCharacter = fc.nat(0x10_ff_ff - surrogates.count).map(
  (index) => String.fromCodePoint(index < surrogates.from ? index : index + surrogates.count),
  (text) => {
    const [character, ...more] = typeof text === 'string' ? text : '';
    const code = character?.codePointAt(0);
    const isHalf = code !== undefined && code >= surrogates.from && code < surrogates.from + surrogates.count;
    if (code === undefined || isHalf || more.length > 0) throw new Error('not one character');
    return code < surrogates.from ? code : code - surrogates.count;
  },
);
