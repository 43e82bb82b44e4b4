import { expect, it } from 'vitest';
import { readTool } from './pieces.js';

const inputSchema = { type: 'object', properties: { path: { type: 'string' } } };
const definition = { name: 'read', description: 'Reads.', inputSchema };
const named = { name: 'read', description: 'Reads.' };

it.each([
  ['Chat Completions', { type: 'function', function: { ...named, parameters: inputSchema } }],
  ['Responses', { type: 'function', ...named, parameters: inputSchema, strict: false }],
  ['Messages', { ...named, input_schema: inputSchema }],
  ['Messages, with its type', { type: 'custom', ...named, input_schema: inputSchema }],
  ['Palimpsest', definition],
])('reads the tool of %s', (_, tool) => {
  expect(readTool(tool)).toEqual(definition);
});

it('takes a function without parameters for one that takes none', () => {
  const none = { name: 'read', description: '', inputSchema: { type: 'object', properties: {} } };
  expect(readTool({ type: 'function', function: { name: 'read' } })).toEqual(none);
  expect(readTool({ name: 'read' })).toEqual(none);
});

it.each([
  { type: 'web_search_20250305', name: 'web_search' },
  { type: 'web_search' },
  { type: 'custom', custom: { name: 'patch' } },
  { type: 'custom', name: 'patch', format: { type: 'text' } },
  { type: 'function', function: {} },
  null,
  'read',
])('is no definition: %j', (tool) => {
  expect(readTool(tool)).toBeUndefined();
});
