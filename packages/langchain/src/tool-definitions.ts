import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { field, isRecord } from '@palimpsest/messages';

const known = new WeakMap<object, object>();

/** Returns tools as plain JSON, as far as they have a size and can differ: a history counts and compares them. */
export function toolDefinitions(tools: readonly unknown[]): readonly object[] {
  return tools.flatMap((tool) => {
    if (typeof tool !== 'object' || tool === null) return [];
    const definition = known.get(tool) ?? definitionOf(tool);
    known.set(tool, definition);
    return [definition];
  });
}

/** Returns the definition of a tool as it is sent, with its fields for one provider (`extras`: cache marks, deferred loading). */
function definitionOf(tool: object): object {
  const extras = field(tool, 'extras');
  const provided = field(extras, 'providerToolDefinition');
  if (isRecord(provided)) return provided;
  try {
    const converted = convertToOpenAITool(tool as Parameters<typeof convertToOpenAITool>[0]);
    return isRecord(extras) ? { ...converted, ...extras } : converted;
  } catch {
    // A provider's own tool is a plain object already.
    return { ...tool };
  }
}
