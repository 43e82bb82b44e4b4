import { describe, expect, it } from 'vitest';
import { toolArguments, toolInput } from './tool-input.js';

describe('toolInput and toolArguments', () => {
  it.each([
    ['{"path":"a"}', { path: 'a' }],
    ['', {}],
    [' \n', {}],
    ['{"path":', { unparsed_arguments: '{"path":' }],
    ['[1]', { unparsed_arguments: '[1]' }],
    ['null', { unparsed_arguments: 'null' }],
    ['"text"', { unparsed_arguments: '"text"' }],
    ['Response redacted: old', { unparsed_arguments: 'Response redacted: old' }],
  ])('%j', (text, input) => {
    expect(toolInput(text)).toEqual(input);
    expect(JSON.parse(toolArguments(text))).toEqual(input);
  });

  it('keeps the text of an object to the byte', () => {
    expect(toolArguments('{ "a" : 1.0 }')).toBe('{ "a" : 1.0 }');
  });
});
