import type { ToolDefinition } from '@palimpsest/events';
import { InvalidRequestError } from '../errors.js';

/**
 * @throws {@link InvalidRequestError} when two tools have the same name: no provider accepts them, and a call would be
 * ambiguous.
 */
export function assertOneToolPerName(tools: readonly ToolDefinition[], provider: string): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw new InvalidRequestError(`There are two tools of the name '${name}'.`, { provider });
    names.add(name);
  }
}
