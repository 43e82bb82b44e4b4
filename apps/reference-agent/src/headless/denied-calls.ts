import type { Tool } from '@palimpsest/events';
import type { StreamEvent } from '../output/stream-event.js';

type ToolResult = Extract<StreamEvent, { readonly type: 'tool-result' }>;

/** What runs commands: it may write, or only look. */
const command = 'run_command';

/**
 * The names of the tools whose calls were denied, if that kept a run from writing anything: each call that writes was denied, or,
 * without such calls, each command. Otherwise none.
 */
export function deniedCalls(results: readonly ToolResult[], tools: ReadonlyMap<string, Tool>): readonly string[] {
  const acting = results.filter(({ name }) => tools.get(name)?.annotations?.readOnly !== true);
  const writes = acting.filter(({ name }) => name !== command);
  const tried = writes.length > 0 ? writes : acting;
  if (!tried.every(({ status }) => status === 'denied')) return [];
  return [...new Set(tried.map(({ name }) => name))];
}
