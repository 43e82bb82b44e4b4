import type { ToolDefinition } from '@palimpsest/events';
import { field, isRecord, textOf } from './json-fields.js';

/**
 * A tool that a request declares, in the form of any of the three APIs: `{ function: { name, parameters } }`,
 * `{ name, parameters }`, `{ name, input_schema }`. Undefined for a tool that only the provider runs and for a tool without
 * JSON input: such a tool has its own type and no schema.
 */
export function readTool(tool: unknown): ToolDefinition | undefined {
  const declared = isRecord(field(tool, 'function')) ? field(tool, 'function') : tool;
  const name = textOf(field(declared, 'name'));
  const schema = field(declared, 'parameters') ?? field(declared, 'input_schema') ?? field(declared, 'inputSchema');
  const type = field(tool, 'type');
  const isSchema = isRecord(schema) && !Array.isArray(schema);
  if (name === undefined || (!isSchema && type !== undefined && type !== 'function')) return undefined;
  return {
    name,
    description: textOf(field(declared, 'description')) ?? '',
    inputSchema: isSchema ? schema : { type: 'object', properties: {} },
  };
}
