import type { ToolDefinition } from '@palimpsest/events';
import { isObject, listOf, objectOf, textOf } from './json-shape.js';
import { wireToolName } from './wire-names.js';

/** The tools that a log names, in any of the common shapes: `{function:{…}}`, `{name, parameters}`, `{name, input_schema}`. */
export function toolDefinitions(tools: unknown): readonly ToolDefinition[] {
  return listOf(tools).flatMap((tool) => {
    const outer = objectOf(tool);
    const fields = isObject(outer['function']) ? outer['function'] : outer;
    const name = textOf(fields['name']);
    if (name === undefined) return [];
    const schema = fields['parameters'] ?? fields['input_schema'] ?? fields['inputSchema'];
    return [
      {
        name: wireToolName(name),
        description: textOf(fields['description']) ?? '',
        inputSchema: isObject(schema) ? schema : { type: 'object' },
      },
    ];
  });
}
