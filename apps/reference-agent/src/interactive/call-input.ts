import type { ToolCall } from '@palimpsest/events';

/** The input of a call; undefined where its arguments are no JSON. */
export function inputOf({ arguments: json }: ToolCall): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
