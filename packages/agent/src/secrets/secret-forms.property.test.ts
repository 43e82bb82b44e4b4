import fc from 'fast-check';
import { expect, test } from 'vitest';
import { secretMask } from './mask.js';

const bytes = (text: string) => [...Buffer.from(text)];
const hex = (text: string) => bytes(text).map((byte) => byte.toString(16).padStart(2, '0'));
const base64 = (text: string) => Buffer.from(text).toString('base64');
const html = (text: string) => text.replace(/[^\w ]/g, (each) => `&#${each.codePointAt(0)};`);
const halves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)] as const;

/** The forms in which a value may be written. Each can be derived from the value. */
const forms: Readonly<Record<string, (value: string) => string>> = {
  'as it is': (value) => value,
  base64,
  'base64 behind one letter': (value) => base64(`x${value}yy`),
  'base64 behind two letters': (value) => base64(`xx${value}y`),
  base64url: (value) => Buffer.from(value).toString('base64url'),
  'base64 twice': (value) => base64(`auth: ${base64(`user:${value}`)}`),
  'base64 of JSON': (value) => base64(JSON.stringify({ key: value })),
  'base64 of a URL': (value) => base64(`?k=${encodeURIComponent(value)}`),
  'base64 of UTF-16': (value) => Buffer.from(`$k='${value}'`, 'utf16le').toString('base64'),
  'base64 on lines': (value) => (base64(`a header: ${value}`).match(/.{1,20}/g) ?? []).join('\r\n    '),
  'a URL': encodeURIComponent,
  'a URL in a URL': (value) => encodeURIComponent(encodeURIComponent(value)),
  'a URL of JSON': (value) => encodeURIComponent(JSON.stringify({ key: value })),
  'every letter of a URL': (value) => hex(value).join('%').replace(/^/, '%'),
  'some letters of a URL': (value) =>
    [...value].map((each, at) => (at % 2 ? `%${hex(each).join('%')}` : each)).join(''),
  'a form': (value) => new URLSearchParams({ key: value }).toString(),
  JSON: (value) => JSON.stringify(value),
  'JSON in JSON': (value) => JSON.stringify(JSON.stringify({ key: value })),
  'JSON of ASCII': (value) =>
    value
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  HTML: html,
  'HTML in HTML': (value) => html(value).replaceAll('&', '&amp;'),
  'every letter of HTML': (value) => [...value].map((each) => `&#x${each.codePointAt(0)?.toString(16)};`).join(''),
  'a word of a shell': (value) => `'${value.replaceAll("'", `'\\''`)}'`,
  'a word with backslashes': (value) => value.replace(/\W/gu, (each) => `\\${each}`),
  hex: (value) => hex(value).join(''),
  'hex with dashes': (value) => hex(value).join('-').toUpperCase(),
  'hex numbers': (value) =>
    hex(value)
      .map((each) => `0x${each}`)
      .join(', '),
  'hex escapes': (value) =>
    hex(value)
      .map((each) => `\\x${each}`)
      .join(''),
  'decimal numbers': (value) => JSON.stringify(bytes(value)),
  'numbers on lines': (value) => JSON.stringify({ data: bytes(value) }, null, 2),
  'octal escapes': (value) =>
    bytes(value)
      .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
      .join(''),
  'two lines': (value) => halves(value).join('\n'),
  'two lines in JSON': (value) => JSON.stringify(halves(value).join('\r\n\t')),
  'two strings of a program': (value) => `"${halves(value).join('" +\n  "')}"`,
  'two lines of a diff': (value) => `+${halves(value).join('\n+')}`,
  'letters apart': (value) => [...value].join(' '),
  'a list of letters': (value) => JSON.stringify([...value]),
  'invisible characters': (value) => [...value].join('\u200b'),
  'other case': (value) => value.toUpperCase(),
  backwards: (value) => [...value].toReversed().join(''),
  'a mail': (value) => halves(value).join('=\r\n'),
};

/** As keys and generated passwords are: letters and digits that change often, with some other characters. */
const secret = fc
  .array(
    fc.tuple(
      fc.stringMatching(/^[A-Za-z]{2,4}[0-9]{1,3}$/),
      fc.constantFrom('', '', '-', '_', '/', '+', '$', '"', '&', 'ö'),
    ),
    {
      minLength: 3,
      maxLength: 8,
    },
  )
  .map((parts) => `${parts.flat().join('')}z`);
const words = fc.constantFrom('', 'The value: ', 'x = ', '\n\n> ', '100 % of it; ', '\u001b[1m', '{"a":');

test('a value is hidden in every form, at every place, and in pieces as in one', () => {
  fc.assert(
    fc.property(
      secret,
      fc.constantFrom(...Object.keys(forms)),
      words,
      words,
      fc.integer({ min: 1, max: 60 }),
      (value, form, before, after, size) => {
        const mask = secretMask({ KEY: value });
        const written = forms[form]?.(value) ?? '';
        const whole = `${before} ${written} ${after} and more text of any kind`;
        const hidden = mask.text(whole);
        expect(hidden).toContain('[secret KEY]');
        // Of the value only a character at an edge may stay, which is no letter; the rest is what the form has around it.
        expect(hidden.length).toBeLessThan(whole.length - written.length + 50);
        expect(mask.text(hidden)).toBe(hidden);
        let streamed = '';
        const stream = mask.stream((text) => (streamed += text));
        for (let at = 0; at < whole.length; at += size) stream.write(whole.slice(at, at + size));
        stream.end();
        expect(streamed).toBe(hidden);
      },
    ),
    { numRuns: process.env['PALIMPSEST_THOROUGH'] === 'true' ? 3_000 : 150, seed: 20_261_126 },
  );
});

test.each(['hunter', 'production-01', 'correct horse battery', '123456', 'abcdefghijkl'])(
  'a short value, or one like a word (%s), hides no ordinary text',
  (value) => {
    const texts = [
      'HUNTER hun ter h-u-n-t-e-r retnuh uhagre 104 117 110 116 101 114',
      'Production 01, PRODUCTION_01, production: 01',
      '"correct", "horse", "battery"; Correct Horse Battery',
      '12:34:56 1-2-3-4-5-6 49 50 51 52 53 54 31-32-33-34-35-36',
      'a b c d e f g h i j k l ABCDEFGHIJKL',
    ];
    for (const text of texts) expect(secretMask({ KEY: value }).text(text)).toBe(text);
  },
);
