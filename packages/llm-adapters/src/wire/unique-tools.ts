import type { ToolDefinition } from '@palimpsest/events';
import { InvalidRequestError } from '../errors.js';

/** @throws {@link InvalidRequestError} when two tools have one name: no provider takes them, and which is meant is unknown. */
export function assertOneToolPerName(tools: readonly ToolDefinition[], provider: string): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw new InvalidRequestError(`There are two tools of the name '${name}'.`, { provider });
    names.add(name);
  }
}
