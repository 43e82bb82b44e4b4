import { defineTool } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { deniedCalls } from './headless.js';

const tool = (name: string, readOnly: boolean) =>
  [
    name,
    defineTool({ name, description: name, input: z.object({}), annotations: { readOnly }, execute: () => '' }),
  ] as const;
const tools = new Map([
  tool('read_file', true),
  tool('edit_file', false),
  tool('write_file', false),
  tool('run_command', false),
]);

test.each([
  ['none acts', ['read_file denied'], []],
  [
    'all denied',
    ['read_file ok', 'edit_file denied', 'write_file denied', 'edit_file denied'],
    ['edit_file', 'write_file'],
  ],
  ['one write ran', ['edit_file denied', 'write_file ok'], []],
  ['one write was tried', ['edit_file denied', 'write_file failed'], []],
  ['a command ran, which may only look', ['edit_file denied', 'run_command ok'], ['edit_file']],
  ['commands alone', ['run_command denied'], ['run_command']],
  ['one command ran', ['run_command denied', 'run_command ok'], []],
  ['a tool that is not there', ['unknown failed'], []],
])('%s', (_, results, denied) => {
  const told = results.map((each) => {
    const [name = '', status = ''] = each.split(' ');
    return { type: 'tool-result' as const, id: name, name, status: status as 'ok', text: '' };
  });
  expect(deniedCalls(told, tools)).toEqual(denied);
});
