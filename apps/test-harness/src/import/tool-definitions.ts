import type { ToolDefinition } from '@palimpsest/events';
import { readTool } from '@palimpsest/llm-adapters/wire';
import { listOf, objectOf, textOf } from './json-shape.js';
import type { NoteTaker } from './note-taker.js';

/** The tools in a log, in the form of any API. A tool that only the provider runs is left out and noted. */
export function toolDefinitions(tools: unknown, notes: NoteTaker): readonly ToolDefinition[] {
  return listOf(tools).flatMap((tool) => {
    const definition = readTool(tool);
    if (definition === undefined) {
      const type = textOf(objectOf(tool)['type']) ?? 'unknown';
      notes.add('unsupported-content', `a tool of type '${type}', which only the provider runs, was left out`);
    }
    return definition ?? [];
  });
}
