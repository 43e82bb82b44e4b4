import { defineTool } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { withRequestedFields } from './requested-fields.js';

const run = defineTool({
  name: 'run',
  description: '',
  input: z.strictObject({ command: z.string() }),
  execute: ({ command }) => command,
});
const look = defineTool({
  name: 'look',
  description: '',
  input: z.object({}),
  annotations: { readOnly: true },
  execute: () => 'seen',
});
const note = defineTool({
  name: 'note',
  description: '',
  input: z.object({ summary: z.string() }),
  execute: ({ summary }) => summary,
});
const foreign = (inputSchema: Tool['inputSchema']): Tool => ({ ...run, name: 'foreign', inputSchema });

const both = { risk: true, summary: true };
const schemas = (tools: readonly Tool[], asked = both) =>
  [...withRequestedFields(tools, asked).tools.values()].map(({ inputSchema: { properties, required } }) => ({
    properties: Object.keys(properties ?? {}),
    required,
  }));
const take = (tool: Tool, json: string, asked = both, more = {}) =>
  withRequestedFields([tool], asked).readRequestedFields({ id: 'c', name: tool.name, arguments: json, ...more });

describe('the schemas', () => {
  test('have the fields behind those of the tool, and require them', () => {
    expect(schemas([run, look, note])).toEqual([
      { properties: ['command', 'security_risk', 'summary'], required: ['command', 'security_risk', 'summary'] },
      { properties: ['summary'], required: ['summary'] },
      { properties: ['summary', 'security_risk'], required: ['summary', 'security_risk'] },
    ]);
    const [asking] = withRequestedFields([run], both).tools.values();
    expect(asking?.inputSchema).toMatchObject({
      additionalProperties: false,
      properties: { security_risk: { type: 'string', enum: ['low', 'medium', 'high'] } },
    });
  });

  test('are the same each time, and the tools of before when nothing is asked', () => {
    expect(JSON.stringify(schemas([run, look]))).toBe(JSON.stringify(schemas([run, look])));
    expect([...withRequestedFields([run], {}).tools.values()]).toEqual([run]);
    expect(run.inputSchema).not.toHaveProperty('properties.security_risk');
  });

  test.each([
    { anyOf: [{ type: 'object' }] },
    { type: 'object', allOf: [{ additionalProperties: false }] },
    { type: 'object', maxProperties: 1 },
    { type: 'object', $ref: '#/$defs/x' },
  ])('%j is left alone', (inputSchema) => {
    const tool = foreign(inputSchema);
    expect(withRequestedFields([tool], both).tools.get('foreign')).toBe(tool);
    const call = '{"command":"a","security_risk":"low"}';
    expect(take(tool, call)).toMatchObject({ toolCall: { arguments: call }, stated: {}, isAskedForRisk: false });
  });
});

describe('a call', () => {
  test('loses the fields, and keeps the bytes of one without them', () => {
    expect(take(run, '{"command":"ls","security_risk":"medium","summary":"List."}')).toEqual({
      toolCall: { id: 'c', name: 'run', arguments: '{"command":"ls"}' },
      stated: { risk: 'medium', summary: 'List.' },
      isAskedForRisk: true,
    });
    expect(take(run, '{ "command" : "l\\u0073" }').toolCall.arguments).toBe('{ "command" : "l\\u0073" }');
    expect(take(run, '{"__proto__":1,"summary":"x","n":1}').toolCall.arguments).toBe('{"__proto__":1,"n":1}');
  });

  test.each([
    ['not JSON', '{"command":"ls","summ'],
    ['a list', '["summary"]'],
    ['a text', '"summary"'],
    ['nothing', ''],
  ])('that is %s stays', (_what, text) => {
    expect(take(run, text)).toMatchObject({ toolCall: { arguments: text }, stated: {} });
  });

  test('that had to be repaired or is signed stays as it is, and says what it says', () => {
    const text = `{'command':'ls','security_risk':'low'}`;
    expect(take(run, text)).toMatchObject({ toolCall: { arguments: text }, stated: { risk: 'low' } });
    const signed = '{"command":"ls","security_risk":"low"}';
    const taken = take(run, signed, both, { thoughtSignature: 's' });
    expect(taken).toMatchObject({ toolCall: { arguments: signed }, stated: { risk: 'low' } });
  });

  test('keeps a property of the tool that has the name of a field', () => {
    expect(take(note, '{"summary":"mine","security_risk":"high"}')).toMatchObject({
      toolCall: { arguments: '{"summary":"mine"}' },
      stated: { risk: 'high' },
    });
  });

  test('of a reading tool states no risk, though the model writes one', () => {
    expect(take(look, '{"security_risk":"high","summary":"Look."}')).toEqual({
      toolCall: { id: 'c', name: 'look', arguments: '{}' },
      stated: { summary: 'Look.' },
      isAskedForRisk: false,
    });
  });

  test.each([
    ['LOW ', 'low'],
    ['harmless', undefined],
    [0, undefined],
    [null, undefined],
    [{ risk: 'low' }, undefined],
  ])('with the risk %j', (value, risk) => {
    expect(take(run, JSON.stringify({ command: 'a', security_risk: value })).stated.risk).toBe(risk);
  });

  test('has a summary of one line, of at most 200 signs', () => {
    const stated = (summary: unknown) => take(run, JSON.stringify({ summary })).stated.summary;
    expect(stated(' Lists\n\tthe   files. ')).toBe('Lists the files.');
    expect(stated('😀'.repeat(300))).toBe(`${'😀'.repeat(199)}…`);
    expect([stated(' '), stated(7), stated(['x'])]).toEqual([undefined, undefined, undefined]);
  });

  test('is parsed without the fields by strict tools, whatever its arguments hold', () => {
    const tool = withRequestedFields([run], both).tools.get('run');
    expect(tool?.parseInput({ command: 'ls', security_risk: 'low', summary: 'x' })).toEqual({ command: 'ls' });
    expect(() => tool?.parseInput({ command: 'ls', other: 1 })).toThrow(/other/);
  });
});
