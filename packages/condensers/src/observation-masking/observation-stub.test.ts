import { expect, test } from 'vitest';
import { firstLineOf } from './observation-stub.js';

const path = `src/${'deep/'.repeat(30)}index.ts`;

test.each([
  ['the first line with words', '\n \n  two  words \nmore', 'two  words'],
  ['nothing', ' \n', ''],
  ['a long line, up to a whole word', 'words '.repeat(30), `${'words '.repeat(16).trimEnd()}…`],
  ['a line before a long path', `see ${path} there`, 'see…'],
  ['no part of a path', path, ''],
  ['a long line without words', '{}'.repeat(100), `${'{}'.repeat(49)}{…`],
  ['no half of a character', '😀'.repeat(60), `${'😀'.repeat(49)}…`],
])('%s', (_, text, line) => {
  expect(firstLineOf(text)).toBe(line);
});
