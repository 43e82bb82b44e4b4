import { expect, test } from 'vitest';
import { z } from 'zod';
import { toolDefinitionSchema } from './llm-convertible-events.js';
import { defineTool, toolDefinition } from './tool.js';
import type { ToolContext } from './tool.js';

const read = defineTool({
  name: 'read',
  description: 'Reads a file.',
  input: z.object({ path: z.string().describe('Where it is.'), lines: z.int().min(1).default(100) }),
  annotations: { readOnly: true },
  execute: ({ path, lines }) => `${lines} lines of ${path}`,
});

const context: ToolContext = {
  actionId: 'a',
  toolCallId: 'c',
  log: [],
  event: () => undefined,
  append: async () => undefined,
};

test('the JSON schema and the check of the input come from the same source', async () => {
  expect(read.inputSchema).toEqual({
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where it is.' },
      lines: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 100 },
    },
    required: ['path'],
  });
  expect(await read.execute(read.parseInput({ path: 'a' }) as never, context)).toBe('100 lines of a');
});

test('input that does not fit fails with a message that a model can act on', () => {
  expect(() => read.parseInput({ path: 7 })).toThrow(/Invalid input for 'read':[^]*expected string[^]*path/);
  expect(() => read.parseInput('text')).toThrow(TypeError);
});

test('a definition is what a model is told: plain data, and valid in a system prompt', () => {
  const definition = toolDefinition(read);
  expect(Object.keys(definition).sort()).toEqual(['annotations', 'description', 'inputSchema', 'name']);
  expect(toolDefinitionSchema.parse(JSON.parse(JSON.stringify(definition)))).toEqual(definition);
  const plain = defineTool({ name: 'now', description: 'The time.', input: z.object({}), execute: () => 'noon' });
  expect(toolDefinition(plain)).not.toHaveProperty('annotations');
});
