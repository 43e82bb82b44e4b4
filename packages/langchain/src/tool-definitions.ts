import { convertToOpenAITool } from '@langchain/core/utils/function_calling';

const known = new WeakMap<object, object>();

/** Tools as plain JSON, as far as they have a size and can differ: a history counts and compares them. */
export function toolDefinitions(tools: readonly unknown[]): readonly object[] {
  return tools.flatMap((tool) => {
    if (typeof tool !== 'object' || tool === null) return [];
    const definition = known.get(tool) ?? definitionOf(tool);
    known.set(tool, definition);
    return [definition];
  });
}

function definitionOf(tool: object): object {
  try {
    return convertToOpenAITool(tool as Parameters<typeof convertToOpenAITool>[0]);
  } catch {
    // A provider's own tool is a plain object already.
    return { ...tool };
  }
}
