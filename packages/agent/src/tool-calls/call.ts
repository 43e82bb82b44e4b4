import { parse } from '@humanwhocodes/momoa';
import type { ActionEvent, Tool, ToolCall } from '@palimpsest/events';
import { unnamedToolName } from '@palimpsest/llm-adapters';
import { jsonrepair } from 'jsonrepair';
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

export interface PreparedAction {
  readonly action: ActionEvent;
  readonly prepared: PreparedCall;
}

/** @throws TypeError when two tools have the same name. */
export function toolset(tools: readonly Tool[]): Toolset {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new TypeError(`Two tools are called '${tool.name}'`);
    byName.set(tool.name, tool);
  }
  return byName;
}

export function prepareActions(actions: readonly ActionEvent[], tools: Toolset): readonly PreparedAction[] {
  return actions.map((action) => ({ action, prepared: prepareToolCall(action.toolCall, tools) }));
}

/** Finds the tool of a call and checks its arguments. Never throws: the model reads what is wrong, and can correct it. */
export function prepareToolCall(call: ToolCall, tools: Toolset): PreparedCall {
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

/** The parsed arguments of a call, with the repaired text if the model's text was not JSON; or why they cannot be read. */
export type ReadArguments =
  { readonly json: unknown; readonly repaired?: string } | { readonly problem: string; readonly json?: undefined };

/**
 * Reads the JSON text that a model wrote. Obvious mistakes are repaired: raw line breaks in strings, single quotes, trailing
 * commas, a fence of backticks, comments. A text that was cut off is not repaired: half a file must not be written.
 */
export function readArguments(text: string): ReadArguments {
  // Some models write nothing for a tool without parameters.
  if (text.trim() === '') return { json: {} };
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    const repaired = isWhole(text) ? repair(text) : undefined;
    if (repaired !== undefined) return repaired;
  }
  // The model reads the problem and the log keeps it, so it must be the same on every engine: the messages of `JSON.parse`
  // differ between versions of Node.
  try {
    parse(text);
  } catch (error) {
    // The message may quote half of a surrogate pair.
    if (hasPlace(error)) return { problem: error.message.toWellFormed() };
  }
  return { problem: 'it is no JSON text' };
}

/** The parser's own errors have a place. Errors of the engine, as at too deep a nesting, have none. */
function hasPlace(error: unknown): error is Error & { readonly line: number } {
  return error instanceof Error && 'line' in error && 'column' in error;
}

function repair(text: string): { readonly json: unknown; readonly repaired: string } | undefined {
  try {
    const repaired = jsonrepair(text);
    const json: unknown = JSON.parse(repaired);
    // The repair reads loose words as a string, and arguments are an object.
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? { json, repaired } : undefined;
  } catch {
    return undefined;
  }
}

const fence = /^\s*```(?:json)?\s*\n?([\s\S]*?)\n?\s*```\s*$/;

/** Reports whether the text is one object in which every string and bracket is closed. */
function isWhole(text: string): boolean {
  const body = (fence.exec(text)?.[1] ?? text).trim();
  if (!body.startsWith('{') || !body.endsWith('}')) return false;
  const open: string[] = [];
  let quote: string | undefined;
  for (let index = 0; index < body.length; index++) {
    const character = body[index] as string;
    if (quote !== undefined) {
      if (character === '\\') index++;
      else if (character === quote) quote = undefined;
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if (character === '{' || character === '[') {
      open.push(character);
    } else if (character === '}' || character === ']') {
      if (open.pop() !== (character === '}' ? '{' : '[')) return false;
    }
  }
  return quote === undefined && open.length === 0;
}
