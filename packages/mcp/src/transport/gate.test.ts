import { expect, test } from 'vitest';
import { validTools } from './gate.js';

const header = (schema: object, more: object = {}) => ({ type: 'object', properties: { region: schema }, ...more });

test.each([
  ['a header of an argument', header({ type: 'string', 'x-mcp-header': 'Region' }), true],
  ['a header deep inside', header(header({ type: 'integer', 'x-mcp-header': 'A' })), true],
  ['no name', header({ type: 'string', 'x-mcp-header': '\u001b[2J' }), false],
  ['no text', header({ type: 'string', 'x-mcp-header': 7 }), false],
  ['of a list', header({ type: 'array', 'x-mcp-header': 'Region' }), false],
  ['in a list', header({ type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } }), false],
  ['of the whole', header({ type: 'string' }, { 'x-mcp-header': 'A' }), false],
  ['in a definition', header({}, { $defs: { '\u001b[2J': { 'x-mcp-header': 'A' } } }), false],
])('a tool with a header: %s', (_, inputSchema, isValid) => {
  const message = { jsonrpc: '2.0' as const, id: 1, result: { tools: [{ name: 'one', inputSchema }], other: 1 } };
  expect(validTools(message)).toEqual(
    isValid ? { message, refused: [] } : { message: { ...message, result: { tools: [], other: 1 } }, refused: ['one'] },
  );
});

test('two headers of one name are none', () => {
  const properties = { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } };
  const tools = [{ name: 'two', inputSchema: { type: 'object', properties } }];
  expect(validTools({ jsonrpc: '2.0', id: 1, result: { tools } }).refused).toEqual(['two']);
});

test('other messages are as they were', () => {
  for (const message of [
    { jsonrpc: '2.0' as const, id: 1, result: {} },
    { jsonrpc: '2.0' as const, id: 1, result: { tools: 7 } },
    { jsonrpc: '2.0' as const, method: 'notifications/progress' },
  ]) {
    expect(validTools(message).message).toBe(message);
  }
});
