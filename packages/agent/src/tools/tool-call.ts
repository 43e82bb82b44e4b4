import type { Tool, ToolCall } from '@palimpsest/events';
import { unnamedToolName } from '@palimpsest/llm-adapters';
import { readArguments } from './argument-repair.js';
import { messageOf } from '../errors.js';

/** The tools of an agent by name. */
export type Toolset = ReadonlyMap<string, Tool>;

/** A call that can be run, or the reason why not, as the model reads it. */
export type PreparedCall =
  | {
      readonly type: 'executable';
      readonly tool: Tool;
      readonly input: unknown;
      /** The JSON text that was read instead of the model's own, which was not JSON. */
      readonly repaired?: string;
    }
  | { readonly type: 'refused'; readonly reason: string };

/** @throws TypeError when two tools have the same name. */
export function toolset(tools: readonly Tool[]): Toolset {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new TypeError(`Two tools are called '${tool.name}'`);
    byName.set(tool.name, tool);
  }
  return byName;
}

/** Finds the tool of a call and checks its arguments. Never throws: the model reads what is wrong, and can correct it. */
export function prepareCall(call: ToolCall, tools: Toolset): PreparedCall {
  const tool = tools.get(call.name);
  if (tool === undefined) {
    const names = [...tools.keys()].join(', ');
    const what = call.name === unnamedToolName ? 'The call names no tool.' : `There is no tool '${call.name}'.`;
    return { type: 'refused', reason: `${what} The tools are: ${names || 'none'}.` };
  }
  const read = readArguments(call.arguments);
  if ('problem' in read) {
    return { type: 'refused', reason: `The arguments of '${call.name}' are not JSON: ${read.problem}` };
  }
  try {
    const input = tool.parseInput(read.json);
    return { type: 'executable', tool, input, repaired: read.repaired };
  } catch (error) {
    return { type: 'refused', reason: messageOf(error) };
  }
}
