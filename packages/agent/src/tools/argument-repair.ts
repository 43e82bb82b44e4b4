import { jsonrepair } from 'jsonrepair';
import { jsonProblem } from './json-problem.js';

/** The arguments of a call as data, with the text that was read in their place where the model's own was no JSON. */
export type ReadArguments =
  { readonly json: unknown; readonly repaired?: string } | { readonly problem: string; readonly json?: undefined };

/**
 * Reads the JSON text that a model wrote. What is plainly meant is repaired: raw line breaks in strings, single quotes,
 * trailing commas, a fence of backticks, comments. What was cut off is not: half a file must not be written.
 */
export function readArguments(text: string): ReadArguments {
  // Some models write nothing at all for a tool without parameters.
  if (text.trim() === '') return { json: {} };
  try {
    return { json: JSON.parse(text) };
  } catch {
    const repaired = isWhole(text) ? repair(text) : undefined;
    return repaired ?? { problem: jsonProblem(text) };
  }
}

function repair(text: string): { readonly json: unknown; readonly repaired: string } | undefined {
  try {
    const repaired = jsonrepair(text);
    const json: unknown = JSON.parse(repaired);
    // Loose words are no arguments, though they can be read as a string.
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? { json, repaired } : undefined;
  } catch {
    return undefined;
  }
}

const fence = /^\s*```(?:json)?\s*\n?([\s\S]*?)\n?\s*```\s*$/;

/** True where every string and bracket that was opened is closed, in one object. */
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
