import { createEvent, userMessage } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { ContentPart } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidSecretError, maskedDeltas, secretMask } from './mask.js';
import { minSecretLength } from './search.js';

/** `npm test` meets the first quarter of the cases, CI's thorough run all: `.ci/run`. */
const fewer = (count: number): number => (process.env['PALIMPSEST_THOROUGH'] === 'true' ? count : Math.ceil(count / 4));

const value = 'hunter2-hunter2';
const token = 'gh"p_ä/9+x \\Z&<q>\'7';
const mask = secretMask({ TOKEN: token });

/** Values as tools print them. Each name says which tool does. */
const encodings: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  encodeURIComponent: encodeURIComponent,
  'encodeURIComponent, lower case': (value) => encodeURIComponent(value).replace(/%../g, (each) => each.toLowerCase()),
  'encoded twice': (value) => encodeURIComponent(encodeURIComponent(value)),
  'a form': (value) => new URLSearchParams({ k: value }).toString().slice(2),
  JSON: (value) => JSON.stringify(value).slice(1, -1),
  'JSON in JSON': (value) => JSON.stringify(JSON.stringify(value)).slice(3, -3),
  'JSON in JSON in JSON': (value) => JSON.stringify(JSON.stringify(JSON.stringify(value))),
  'JSON of ASCII only': (value) =>
    JSON.stringify(value).replace(/[^ -~]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'JSON for HTML': (value) =>
    JSON.stringify(value).replace(/[<>&]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'JSON with escaped slashes': (value) => JSON.stringify(value).replaceAll('/', '\\/'),
  HTML: (value) =>
    value.replace(/[&<>"']/g, (each) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[each] ?? '&#39;'),
  'a quoted shell word': (value) => `'${value.replaceAll("'", `'\\''`)}'`,
  'printf %q': (value) => value.replace(/\W/gu, (each) => `\\${each}`),
  base64: (value) => Buffer.from(value).toString('base64'),
  base64url: (value) => Buffer.from(value).toString('base64url'),
  'base64 of a header': (value) => Buffer.from(`user:${value}`).toString('base64'),
  'base64 in the middle': (value) => Buffer.from(`us:${value}.`).toString('base64'),
  'base64 in a URL': (value) => encodeURIComponent(Buffer.from(`u:${value}`).toString('base64')),
  'wrapped base64': (value) =>
    (
      Buffer.from(`a header: ${value}`)
        .toString('base64')
        .match(/.{1,9}/g) ?? []
    ).join('\n'),
  hex: (value) => Buffer.from(value).toString('hex'),
  HEX: (value) => Buffer.from(value).toString('hex').toUpperCase(),
  'hex with colons': (value) => (Buffer.from(value).toString('hex').match(/../g) ?? []).join(':'),
};

describe('a value is found', () => {
  test.each(Object.keys(encodings))('as %s', (name) => {
    const printed = encodings[name]?.(token) ?? '';
    const text = mask.text(`before ${printed} after`);
    expect(text).toMatch(/^before .*\[secret TOKEN\].* after$/s);
    // Only quotes and leading letters of base64 are left.
    const left = text.replace(/^before |\[secret TOKEN\]| after$|[\\"'\n]/g, '');
    expect(left.length).toBeLessThanOrEqual(name.startsWith('wrapped') ? 16 : 8);
  });

  test('whatever it is, and however it is printed', () => {
    const value = fc
      .string({ minLength: minSecretLength, maxLength: 16, unit: 'grapheme' })
      .filter((each) => each.trim().length >= 6);
    fc.assert(
      fc.property(value, fc.constantFrom(...Object.keys(encodings)), fc.string(), (secret, name, around) => {
        // At a backslash or quote on the edge it is not clear which characters belong to the value.
        fc.pre(!/[\\"']/.test(around) && !/^[\\"']/.test(secret.trim()) && !around.includes(secret.trim()));
        const printed = encodings[name]?.(secret.trim()) ?? '';
        const result = secretMask({ A: secret }).text(`${around} ${printed} ${around}`);
        expect(result).toContain('[secret A]');
        expect(result).not.toContain(secret.trim());
      }),
      { numRuns: fewer(150), seed: 20_261_121 },
    );
  });

  test('in the lines of a key, though only some are printed', () => {
    const lines = ['-----BEGIN KEY-----', 'MIIEvQIBADANBgkqhkiG9w0B', 'AQEFAASCBKcwggSjAgEAAoIB', '-----END KEY-----'];
    const key = secretMask({ KEY: `${lines.join('\n')}\n` });
    expect(key.text(`1: ${lines[0]}\n2: ${lines[1]}`)).toBe(`1: ${lines[0]}\n2: [secret KEY]`);
    expect(key.text(JSON.stringify({ key: lines.join('\n') }))).toBe('{"key":"[secret KEY]"}');
    expect(key.text(lines.join('\r\n'))).toBe('[secret KEY]');
  });

  test('without the line end of the file that it was read from', () => {
    expect(secretMask({ A: 'abcdef\n' }).text('x abcdef y')).toBe('x [secret A] y');
  });

  test('where several overlap, all of it goes', () => {
    expect(secretMask({ A: 'xxabcd', B: 'abcdefgh', C: 'abcdefgh12' }).text('1 xxabcdefgh12 2')).toBe('1 [secret A] 2');
  });
});

/** Texts between or instead of the characters of a value. The seed decides where. */
const disguises: Readonly<Record<string, (value: string, random: () => number) => string>> = {
  'escapes in a mixture': (value, random) =>
    value
      .split('')
      .map((unit) => (random() < 0.5 ? unit : `\\u${hexOf(unit, random() < 0.5)}`))
      .join(''),
  'escapes of all characters, escaped again': (value) =>
    value
      .split('')
      .map((unit) => `\\\\\\u${hexOf(unit, false)}`)
      .join(''),
  'escapes of JavaScript': (value, random) =>
    Array.from(value, (character) => {
      const code = (character.codePointAt(0) ?? 0).toString(16);
      return code.length <= 2 && random() < 0.5 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
    }).join(''),
  'wrapped lines': (value, random) => spread(value, () => (random() < 0.3 ? '\n' : '')),
  'wrapped and indented lines': (value, random) => spread(value, () => (random() < 0.3 ? '  \r\n\t    ' : '')),
  'a shell’s long line': (value, random) => spread(value, () => (random() < 0.3 ? ' \\\n  ' : '')),
  'wrapped lines in JSON': (value, random) => spread(value, () => (random() < 0.3 ? '\\n\\t' : '')),
  'lines of a terminal': (value) => (value.match(/[^]{1,4}/gu) ?? []).join('\r\n'),
  colours: (value, random) => spread(value, () => (random() < 0.4 ? '\u001b[1;38;5;196m' : '')),
  'colours in JSON': (value, random) => spread(value, () => (random() < 0.4 ? '\\u001b[0m' : '')),
  'a link': (value, random) =>
    spread(value, () =>
      random() < 0.3 ? '\u001b]8;;https://example.org\u0007' : random() < 0.3 ? '\u001b]8;;\u001b\\' : '',
    ),
  'colours of one byte': (value, random) => spread(value, () => (random() < 0.4 ? '\u009b31m' : '')),
  'colours, wraps and escapes': (value, random) =>
    spread(
      value,
      () => (random() < 0.2 ? '\u001b[K \r\n  \u001b[2m' : ''),
      (unit) => (random() < 0.3 ? `\\u${hexOf(unit, true)}` : unit),
    ),
  'base64 in colours, indented': (value, random) =>
    spread(Buffer.from(value).toString('base64'), () => (random() < 0.2 ? '\n    \u001b[32m' : '')),
};

function hexOf(unit: string, capitals: boolean): string {
  const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
  return capitals ? hex.toUpperCase() : hex;
}

/** The characters of a value with insertions, never before the first or after the last one. */
function spread(value: string, between: () => string, each: (unit: string) => string = (unit) => unit): string {
  return Array.from(
    value,
    (character, index) => (index === 0 ? '' : between()) + character.split('').map(each).join(''),
  ).join('');
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

describe('a value is found in spite of', () => {
  const plainToken = 'ghp_1234567890abcdefABCDEF';

  test.each(Object.keys(disguises))('%s', (name) => {
    for (const [value, label] of [
      [plainToken, 'PLAIN'],
      ['pass "wörd" 😀 of/many+kinds', 'ODD'],
    ] as const) {
      const hide = secretMask({ [label]: value });
      for (let seed = 1; seed <= fewer(40); seed++) {
        const printed = disguises[name]?.(value, randomFrom(seed)) ?? '';
        expect(hide.text(`before: ${printed} :after`), JSON.stringify(printed)).toMatch(
          new RegExp(`^before: [A-Za-z0-9+/]?\\[secret ${label}\\]={0,2} :after$`),
        );
      }
    }
  });

  test('a wrap at a blank of its own', () => {
    const hide = secretMask({ PHRASE: 'correct horse battery staple' });
    expect(hide.text('"correct horse\n    battery staple"')).toBe('"[secret PHRASE]"');
    expect(hide.text('"correct  horse battery staple"')).toContain('horse');
  });

  test('escapes in the arguments of a call, which still parse', () => {
    const hide = secretMask({ PLAIN: plainToken });
    const text = `{"nested":${JSON.stringify(JSON.stringify({ token: plainToken }).replaceAll('h', '\\u0068'))}}`;
    const event = createEvent('action', {
      thought: [],
      toolCall: { id: 'c', name: 'run', arguments: text },
      llmResponseId: 'r',
    });
    expect(JSON.parse(hide(event).toolCall.arguments)).toEqual({ nested: '{"token":"[secret PLAIN]"}' });
  });

  test('all of them when it comes in pieces', () => {
    for (const [name, disguise] of Object.entries(disguises)) {
      const hide = secretMask({ PLAIN: plainToken });
      const whole = `before ${disguise(plainToken, randomFrom(7))} after\n`.repeat(3);
      for (const length of [1, 3, 7, 50]) {
        const pieces: string[] = [];
        const stream = hide.stream((text) => pieces.push(text));
        for (let from = 0; from < whole.length; from += length) stream.write(whole.slice(from, from + length));
        stream.end();
        expect(pieces.join(''), `${name} in pieces of ${length}`).toBe(hide.text(whole));
      }
    }
  });

  test('no text without a value', () => {
    const hide = secretMask({ PLAIN: plainToken });
    for (const text of [
      'C:\\new\\table\\u00e9',
      'ghp_1234567890 abcdefABCDEF',
      'ghp_1234567890\n> abcdefABCDEF',
      '\u001b[31mred\u001b[0m\r\n  \\ \\\\ \\n \\u12 \\u{} \\x',
      '[secret PLAIN]\n[secret PLAIN]',
    ]) {
      expect(hide.text(text)).toBe(text);
    }
  });
});

test('a long text of what is read over ends: its cost grows with its length, not with the square', () => {
  const hide = secretMask({ A: 'ghp_1234567890abcdefABCDEF', B: 'correct horse battery staple' });
  const parts = ['\\', ' ', '\t', '\r', '\n', ' \n', '\\n', '\\t', '\\\\r', '\\n\\', 'g\n', 'ghp_\n\u001b['];
  const sequences = [
    '\u001b',
    '\u001b[',
    '\u001b[0',
    '\u001b]',
    '\u001b]8',
    '\\u',
    '\\u0',
    '\\u{0',
    '\\x1b[',
    '\u009b;',
  ];
  const encodings = ['%', '%25', '%e2', '%e2%25', '&', '&amp;', '&#', '&#0', '&#x0', '0x', 'g ', 'ghp,1 '];
  for (const part of [...parts, ...sequences, ...encodings]) {
    // Quadratic time would be many minutes.
    const text = part.repeat(100_000 / part.length);
    expect(hide.text(text)).toBe(text);
  }
  // The value is there, so its patterns are tried at each place.
  const digits = Buffer.from('zz9y8x7w6v5u4').toString('hex');
  expect(secretMask({ C: 'zz9y8x7w6v5u4' }).text(`${digits} ${'7a0x'.repeat(100_000)}`)).toMatch(/^\[secret C\] 7a0x/);
  expect(secretMask({ C: 'zz9y8x7w6v5u4' }).text(`zz9y8x7w6v5u4 ${'z '.repeat(200_000)}`)).toMatch(/^\[secret C\] z z/);
});

describe('a value does not hide', () => {
  const hide = secretMask({ PASSWORD: 'hunter2-hunter2', OTHER: 'secret' });

  test('in what looks like a label of ours', () => {
    expect(hide.text('[secret hunter2-hunter2]')).not.toContain('hunter2');
    expect(hide.text('[secret PASSWORD] [secret OTHER]')).toBe('[secret PASSWORD] [secret OTHER]');
  });

  const callOf = (text: string) =>
    createEvent('action', {
      thought: [],
      toolCall: { id: 'c1', name: 'run', arguments: text },
      llmResponseId: 'r1',
    });

  test.each([
    ['behind a key that stands there twice', '{"a":"hunter2-hunter2","a":"x"}', { a: 'x' }],
    ['in letters that are escaped', '{"a":"\\u0068unter2-hunter2"}', { a: '[secret PASSWORD]' }],
    ['in a number’s neighbour', '{"n":1234567890123456,"a":"hunter2-hunter2"}', expect.anything()],
  ])('%s of a call', (_, text, parsed) => {
    const result = hide(callOf(text));
    expect(JSON.stringify(result)).not.toMatch(/hunter2|u0068/);
    expect(JSON.parse(result.toolCall.arguments)).toEqual(parsed);
    expect(hide(result)).toBe(result);
  });

  test('in the name of a tool that does not exist; the name stays one that providers take', () => {
    const named = secretMask({ PASSWORD: 'hunter2-hunter2' });
    const toolCall = { id: 'c1', name: 'run_hunter2-hunter2', arguments: '{}' };
    const refused = named(createEvent('action', { thought: [], toolCall, llmResponseId: 'r1', executable: false }));
    expect(refused.toolCall).toEqual({ ...toolCall, name: 'run__secret_PASSWORD_' });
    expect(named(refused)).toBe(refused);
    const address = { toolName: toolCall.name, toolCallId: 'c1', actionId: 'a1' };
    expect(named(createEvent('agent-error', { ...address, error: 'x' })).toolName).toBe('run__secret_PASSWORD_');
    expect(named(createEvent('observation', { ...address, content: [] })).toolName).toBe(toolCall.name);
  });

  const contentOf = (...content: readonly ContentPart[]) =>
    hide(createEvent('message', { source: 'user', role: 'user', content: [...content] })).content;
  const part = (text: string) => ({ type: 'text', text }) as const;

  test('in two texts that stand beside each other', () => {
    expect(contentOf(part('a hunter2-'), part('hunter2 b'))).toEqual([part('a [secret PASSWORD]'), part(' b')]);
    expect(contentOf(part('a hun'), part('ter2-hun'), part('ter2hunter2-hunter2'))).toEqual([
      part('a [secret PASSWORD]'),
      part(''),
      part('[secret PASSWORD]'),
    ]);
    const image = { type: 'image', url: 'https://a.test/x.png' } as const;
    expect(contentOf(part('hunter2-'), image, part('hunter2'))).toEqual([part('[secret PASSWORD]'), image, part('')]);
    expect(contentOf(part('sec'), image, part('ret'))).toEqual([part('sec'), image, part('ret')]);
  });

  test('in an image, which is left out whole: a changed one would be refused in every request from then on', () => {
    const shown = part('An image is left out here, since it holds [secret PASSWORD].');
    const data = `data:image/png;base64,AAAA${btoa('hunter2-hunter2')}`;
    expect(contentOf(part('Look:'), { type: 'image', url: data })).toEqual([part('Look:'), shown]);
    expect(contentOf({ type: 'image', url: 'https://a.test/?k=hunter2-hunter2' })).toEqual([shown]);
    expect(hide.output({ content: [{ type: 'image', url: data }] })).toEqual({ content: [shown] });
  });
});

test('of values that overlap no character is left, in one text or in many', () => {
  const letters = (options: { minLength: number; maxLength: number }) =>
    fc.string({ unit: fc.constantFrom('a', 'b'), ...options });
  const values = fc.uniqueArray(letters({ minLength: 6, maxLength: 9 }), { minLength: 1, maxLength: 4 });
  const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'b', 'a', ' '), maxLength: 20 }), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(values, words, (secrets, texts) => {
      const hide = secretMask(Object.fromEntries(secrets.map((secret, index) => [`S${index}`, secret])));
      const content = texts.map((each) => ({ type: 'text', text: each }) as const);
      const message = hide(createEvent('message', { source: 'user', role: 'user', content }));
      const result = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      expect(result).toBe(hide.text(texts.join('')));
      const left = result.replace(/\[secret S\d\]/g, '\n');
      for (const secret of secrets) expect(left).not.toContain(secret);
      expect(hide(message)).toBe(message);
    }),
    { numRuns: fewer(300), seed: 20_261_121 },
  );
});

describe('a text that comes in pieces', () => {
  const hide = secretMask({ PASSWORD: value });

  test('is the text masked, however it is cut, also where a value is encoded', () => {
    const printed = fc.constantFrom(
      ...Object.values(encodings).map((encode) => encode(value)),
      'words ',
      '[',
      'hunter2-',
    );
    fc.assert(
      fc.property(fc.array(printed, { maxLength: 6 }), fc.integer({ min: 1, max: 40 }), (parts, size) => {
        const whole = parts.join(' ');
        const pieces: string[] = [];
        const stream = hide.stream((text) => pieces.push(text));
        for (let at = 0; at < whole.length; at += size) stream.write(whole.slice(at, at + size));
        stream.end();
        expect(pieces.join('')).toBe(hide.text(whole));
      }),
      { numRuns: fewer(200), seed: 20_261_121 },
    );
  });

  test('is not held back longer than a value may be', () => {
    const pieces: string[] = [];
    const stream = hide.stream((text) => pieces.push(text));
    stream.write('word '.repeat(20));
    expect(pieces.join('').length).toBe(100 - 3 * value.length - 9); // One character of it is neither letter nor digit.
  });

  test('is what a model writes: each kind by itself, a call’s name at once', () => {
    const seen: Delta[] = [];
    const deltas = maskedDeltas(hide, (delta) => seen.push(delta));
    deltas.write({ type: 'thinking', text: 'hunter2-' });
    deltas.write({ type: 'thinking', text: 'hunter2?' });
    deltas.write({ type: 'text', text: 'It is hunter2-' });
    deltas.write({ type: 'tool-call', index: 0, id: 'c1', name: 'run', arguments: '' });
    deltas.write({ type: 'tool-call', index: 0, arguments: '{"a":"hunter2-hu' });
    deltas.write({ type: 'tool-call', index: 0, arguments: 'nter2"}' });
    expect(seen).toEqual([
      { type: 'thinking', text: '[secret PASSWORD]?' },
      { type: 'text', text: 'It is hunter2-' },
      { type: 'tool-call', index: 0, id: 'c1', name: 'run', arguments: '' },
    ]);
    deltas.end();
    deltas.end();
    expect(seen.slice(3)).toEqual([{ type: 'tool-call', index: 0, arguments: '{"a":"[secret PASSWORD]"}' }]);
  });

  test('of calls that are written side by side, and of the name of one', () => {
    const seen: Delta[] = [];
    const deltas = maskedDeltas(hide, (delta) => seen.push(delta));
    deltas.write({ type: 'tool-call', index: 0, name: `run_${value}`, arguments: '{"a":"hunter2-' });
    deltas.write({ type: 'tool-call', index: 1, name: 'run', arguments: '{"b":"hun' });
    deltas.write({ type: 'tool-call', index: 0, arguments: 'hunter2"}' });
    deltas.write({ type: 'tool-call', index: 1, arguments: 'ter2-hunter2"}' });
    deltas.end();
    expect(seen).toEqual([
      { type: 'tool-call', index: 0, name: 'run_[secret PASSWORD]', arguments: '' },
      { type: 'tool-call', index: 1, name: 'run', arguments: '' },
      { type: 'tool-call', index: 0, arguments: '{"a":"[secret PASSWORD]"}' },
      { type: 'tool-call', index: 1, arguments: '{"b":"[secret PASSWORD]"}' },
    ]);
  });

  test.each([
    ['not of letters', 'пароль-секрет-2026', encodeURIComponent('пароль-секрет-2026')],
    [
      'not of letters, escaped',
      'пароль-секрет-2026',
      JSON.stringify('пароль-секрет-2026').replace(
        /[^ -~]/g,
        (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
    ],
    [
      'of many short lines',
      'user: deploy\npass: S3cr3t!x9\nport: 5432\nhost: example.org-0123456789',
      'user: deploy\npass: S3cr3t!x9\nport: 5432\nhost: example.org-0123456789',
    ],
  ])('a value %s is found piece by piece where it is found at once', (_, secret, written) => {
    const own = secretMask({ OWN: secret });
    const text = `The value is ${written} and nothing else. ${'More words. '.repeat(40)}`;
    let streamed = '';
    const stream = own.stream((piece) => (streamed += piece));
    for (const character of text) stream.write(character);
    stream.end();
    expect(streamed).toBe(own.text(text));
    expect(streamed).toMatch(/^The value is "?\[secret OWN\]/);
    expect(streamed).not.toContain('S3cr3t');
  });
});

describe('ordinary text', () => {
  test.each(['', 'nothing', 'gh"p', '%', '\\\\\\\\', 'Z2g='])('%j stays', (text) => {
    expect(mask.text(text)).toBe(text);
  });

  test('masked twice is masked once, also where a value is a word of the mark', () => {
    const odd = secretMask({ S: 'secret', T: '[secret' });
    const once = odd.text('a secret b');
    expect(once).toBe('a [secret S] b');
    expect(odd.text(once)).toBe(once);
  });

  test('an event without one is the same object', () => {
    const event = userMessage('Hello');
    expect(mask(event)).toBe(event);
    expect(mask.data([1, { a: null }])).toEqual([1, { a: null }]);
  });
});

describe('a secret that cannot be masked', () => {
  const failure = (values: Record<string, string>): InvalidSecretError => {
    try {
      secretMask(values);
    } catch (error) {
      if (InvalidSecretError.isInstance(error)) return error;
    }
    throw new Error('no InvalidSecretError');
  };

  test.each([
    ['too short', { GOOD: 'long enough', BAD: 'abcde' }, 'abcde', 2, /shorter than 6/],
    ['blank', { BAD: '         ' }, '         ', 1, /shorter than 6/],
    ['short but for its white space', { BAD: ' abc\n\n\n' }, 'abc', 1, /shorter than 6/],
    ['name and value in each other’s place', { 'abc def': 'TOKEN_NAME' }, 'abc def', 1, /name that is not made of/],
    ['a name that tells', { GOOD: 'long enough', MY_hunter22: 'hunter22' }, 'hunter22', 2, /contains the value/],
  ])('is refused: %s', (_, values, secret, position, reason) => {
    const error = failure(values);
    expect(error.position).toBe(position);
    expect(error.message).toMatch(reason);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret);
  });

  test('and a mask shows no value', () => {
    expect(inspect(mask, { depth: 9, showHidden: true })).not.toContain('p_ä');
    expect(JSON.stringify({ mask })).toBe('{}');
  });
});

test('long texts cost no more than linear time', () => {
  // A backtracking pattern would not end within the test's time.
  const odd = secretMask({ A: '\\\\"a\\\\', B: '---%%%\n+++', C: '      a      b' });
  for (const unit of ['\\', '%25', '-', '\\n', ' ', '"', '+', '&#0'])
    expect(odd.text(unit.repeat(100_000))).toHaveLength(unit.length * 100_000);
});

describe('arguments of a call', () => {
  const withArguments = (text: string) => {
    const log = logBuilder();
    const action = log.action('call');
    return { ...action, toolCall: { ...action.toolCall, arguments: text } };
  };

  test('that are nested deeply are read as text', () => {
    const deep = `${'['.repeat(3_000)}"${token}"${']'.repeat(3_000)}`;
    const { toolCall } = mask(withArguments(deep));
    expect(toolCall.arguments).toBe(deep.replace(token, '[secret TOKEN]'));
  });

  test('that hold a value which is itself JSON still parse, and hold it no longer', () => {
    const key = '{"client_id":"app","private_key":"MIIEvQIBADANBg"}';
    const { toolCall } = secretMask({ KEY: key })(withArguments(`{"body":${key}}`));
    expect(toolCall.arguments).not.toContain('MIIEvQIBADANBg');
    expect(JSON.parse(toolCall.arguments)).toEqual({ masked: '{"body":[secret KEY]}' });
  });
});
