import type { ToolDefinition } from '@palimpsest/events';
import type { Condenser } from '@palimpsest/view';
import { recallToolName } from '../tool-names.js';
import { recallTool } from './recall-tool.js';
import type { RecallToolOptions } from './recall-tool.js';

/**
 * The tools of a loop, with the recall tool at the end wherever a condenser may hide something. Without a condenser, or with
 * a tool of that name, they are as they were. Call it once, where the loop is put together, so that the list of tools stays the same for a
 * whole conversation: a changed list is written to the provider's cache anew.
 */
export function withRecall<Some extends ToolDefinition>(
  tools: readonly Some[],
  options: RecallToolOptions & { readonly condenser: Condenser | undefined },
): readonly (Some | ReturnType<typeof recallTool>)[] {
  const hasIt = tools.some(({ name }) => name === recallToolName);
  return options.condenser === undefined || hasIt ? tools : [...tools, recallTool(options)];
}
