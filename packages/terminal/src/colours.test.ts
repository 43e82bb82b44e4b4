import { expect, test } from 'vitest';
import { coloursFor } from './colours.js';

const red = '\u001b[31mno\u001b[39m';

test.each([
  ['a terminal', { isTTY: true }, {}, red],
  ['a pipe', {}, {}, 'no'],
  ['a pipe, forced', {}, { FORCE_COLOR: '1' }, red],
  ['a pipe, forced with 0', {}, { FORCE_COLOR: '0' }, 'no'],
  ['a terminal without colour', { isTTY: true }, { NO_COLOR: '1' }, 'no'],
  ['a terminal with an empty NO_COLOR', { isTTY: true }, { NO_COLOR: '' }, red],
  ['both variables', { isTTY: true }, { NO_COLOR: '1', FORCE_COLOR: '1' }, 'no'],
  ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }, 'no'],
])('%s', (_name, stream, env, expected) => {
  expect(coloursFor(stream, env).red('no')).toBe(expected);
});
