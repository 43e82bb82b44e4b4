import { field, isRecord, listOf } from '@palimpsest/llm-adapters/wire';
import type { HostMessage } from './codec.js';

/**
 * Returns true if a tool is loaded only when the model has found it: it is then no part of the prefix that is cached
 * and signed.
 */
function isDeferred(tool: unknown): boolean {
  const options = field(tool, 'providerOptions');
  return [tool, field(options, 'anthropic'), field(options, 'openai')].some(
    (one) => field(one, 'defer_loading') === true || field(one, 'deferLoading') === true,
  );
}

export function defersTools(tools: readonly unknown[] = []): boolean {
  return tools.some(isDeferred);
}

/** Returns the tools that the model reads with each request. */
export function loadedTools(tools: readonly unknown[] | undefined): readonly unknown[] | undefined {
  return tools?.filter((tool) => !isDeferred(tool));
}

/** The parts of messages with which a provider loads deferred tools, in the forms of the Messages and the Responses API. */
const loadingTypes: ReadonlySet<unknown> = new Set([
  'tool_reference',
  'tool_search_tool_result',
  'tool_search_call',
  'tool_search_output',
]);
const maxDepth = 4;

/** Returns true if a message loads deferred tools: without it the model could not call them any more. */
export function loadsTools({ pieces }: HostMessage): boolean {
  return pieces.some((piece) => {
    if (piece.type === 'unread' || piece.type === 'call') return isLoading(piece.value, maxDepth);
    if (piece.type !== 'result') return false;
    return piece.content.some((part) => part.type === 'unread' && isLoading(part.value, maxDepth));
  });
}

function isLoading(value: unknown, depth: number): boolean {
  if (!isRecord(value) || depth === 0) return false;
  if (Array.isArray(value)) return listOf(value).some((one) => isLoading(one, depth - 1));
  return loadingTypes.has(field(value, 'type')) || isLoading(field(value, 'content'), depth - 1);
}
