import { expect, it } from 'vitest';
import { userOptions } from './user-options.js';

it.each([
  [{}, { preset: undefined, maxTokens: undefined }],
  [
    { preset: 'cheapest', maxTokens: 60_000 },
    { preset: 'cheapest', maxTokens: 60_000 },
  ],
  [{ maxTokens: '60000' }, { preset: undefined, maxTokens: 60_000 }],
  [{ maxTokens: '' }, { preset: undefined, maxTokens: undefined }],
])('reads %j', (given, read) => {
  expect(userOptions(given)).toEqual({ ...read, problems: [] });
});

it.each([
  [{ preset: 'chepest' }, /^The option preset is "chepest", .* Did you mean 'cheapest'\? The default holds\.$/],
  [{ preset: 7 }, /^The option preset is 7, and has to be one of balanced, cheapest/],
  [{ maxTokens: 'abc' }, /^The option maxTokens is "abc", and has to be a number of tokens from 5000 on/],
  [{ maxTokens: 1 }, /^The option maxTokens is 1,/],
  [{ maxTokens: -1 }, /^The option maxTokens is -1,/],
  [{ maxTokens: Infinity }, /^The option maxTokens is null,/],
])('says of %j what is wrong, and keeps the default', (given, problem) => {
  const read = userOptions(given);
  expect(read).toMatchObject({ preset: undefined, maxTokens: undefined });
  expect(read.problems).toHaveLength(1);
  expect(read.problems[0]).toMatch(problem);
});
