import { jsonrepair } from 'jsonrepair';
import { jsonProblem } from './json-problem.js';

/** The parsed arguments of a call, with the repaired text if the model's text was not JSON. */
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
    return repaired ?? { problem: jsonProblem(text) };
  }
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

/** Whether the text is one object in which every string and bracket is closed. */
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
