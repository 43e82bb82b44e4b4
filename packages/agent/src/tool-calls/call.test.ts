import { describe, expect, test } from 'vitest';
import { readArguments } from './call.js';

describe('arguments that a model wrote', () => {
  test('as JSON are read as they are, and an empty text counts as no arguments', () => {
    expect(readArguments('{"a":1}')).toEqual({ json: { a: 1 } });
    expect(readArguments(' \n')).toEqual({ json: {} });
    expect(readArguments('[1]')).toEqual({ json: [1] });
  });

  test.each([
    ['a raw line break in a string', '{"text":"one\ntwo"}', { text: 'one\ntwo' }],
    ['a raw tab', '{"text":"one\ttwo"}', { text: 'one\ttwo' }],
    ['single quotes', "{'a': 'b'}", { a: 'b' }],
    ['a trailing comma', '{"a":[1,2,],}', { a: [1, 2] }],
    ['a fence', '```json\n{"a":1,}\n```', { a: 1 }],
    ['names of Python', '{"a": True, "b": None}', { a: true, b: null }],
  ])('are repaired where it is plain what is meant: %s', (_, text, json) => {
    const read = readArguments(text);
    expect(read).toMatchObject({ json });
    expect(JSON.parse('repaired' in read ? (read.repaired ?? '') : '')).toEqual(json);
  });

  test.each([
    ['cut off in a string', '{"path":"a.ts","content":"export const'],
    ['cut off behind a value', '{"path":"a.ts"'],
    ['cut off in a list', '{"edits":[{"from":"a"}'],
    ['a string that another quote ends', '{"content":"He said "no" and left}'],
    ['loose words', 'read the file a.ts'],
    ['two objects', '{"a":1}{"b":2'],
  ])('are refused where a guess would be needed: %s', (_, text) => {
    expect(readArguments(text)).toEqual({ problem: expect.any(String) as string });
  });

  test.each([
    ['{"place": "bow"', 'Unexpected end of input found. (1:16)'],
    ['{"path":"a.ts","content":"export const', 'Unexpected end of input found. (1:39)'],
    ['{"a":1}{"b":2}', 'Unexpected token LBrace found. (1:8)'],
    ['read the file', "Unexpected character 'r' found. (1:1)"],
    ['{"a":\n  tru', "Unexpected identifier 'tru' found. (2:3)"],
    ['\u{1F600}', "Unexpected character '\uFFFD' found. (1:1)"],
    ['['.repeat(1_000_000), 'it is no JSON text'],
  ])('that are no JSON are reported in words that no engine changes: %.40s', (text, problem) => {
    expect(readArguments(text)).toEqual({ problem });
  });
});
