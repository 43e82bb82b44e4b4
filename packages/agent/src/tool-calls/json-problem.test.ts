import { expect, test } from 'vitest';
import { jsonProblem } from './call.js';

test.each([
  ['{"place": "bow"', 'Unexpected end of input found. (1:16)'],
  ['{"path":"a.ts","content":"export const', 'Unexpected end of input found. (1:39)'],
  ['{"a":1}{"b":2}', 'Unexpected token LBrace found. (1:8)'],
  ['read the file', "Unexpected character 'r' found. (1:1)"],
  ['{"a":\n  tru}', "Unexpected identifier 'tru' found. (2:3)"],
  ['\u{1F600}', "Unexpected character '\uFFFD' found. (1:1)"],
])('what is wrong with %j is said in words that no engine changes', (text, problem) => {
  expect(jsonProblem(text)).toBe(problem);
});

test("a text that is nested too deeply is reported without the engine's message", () => {
  expect(jsonProblem('['.repeat(1_000_000))).toBe('it is no JSON text');
});
