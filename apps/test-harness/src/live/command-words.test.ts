import { expect, test } from 'vitest';
import { commandWords, filledWords } from './command-words.js';

test('a command is split as a shell does', () => {
  expect(commandWords(`  claude -p {instruction} --name 'two words' "a \\"b\\"" c\\ d x'y'z `)).toEqual([
    'claude',
    '-p',
    '{instruction}',
    '--name',
    'two words',
    'a "b"',
    'c d',
    'xyz',
  ]);
  for (const wrong of ['', '  ', `a 'b`, 'a "b']) expect(() => commandWords(wrong)).toThrow(/is no command/);
});

test('values stand in one word, whatever they hold', () => {
  expect(filledWords(['-p', 'Do: {instruction}', '{other}'], { instruction: `a 'b' {cwd}`, cwd: '/w' })).toEqual([
    '-p',
    `Do: a 'b' {cwd}`,
    '{other}',
  ]);
});
