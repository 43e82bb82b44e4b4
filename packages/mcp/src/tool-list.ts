import { createHash } from 'node:crypto';
import { plainLine, plainText } from './plain-text.js';
import { modelSchema } from './tool-schema.js';
import type { ModelSchema } from './tool-schema.js';

/** A tool as a server lists it. */
export interface ServerTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
}

/** A tool of a server, as a model is told of it. */
export interface ListedTool extends ModelSchema {
  /** For the model. */
  readonly name: string;
  /** The server's own name of it. */
  readonly tool: string;
  readonly description: string;
}

/** The longest description that all providers take. Unit: characters. */
const mostDescription = 1_024;
/** The part of a model's window that the tools of one server may take. Unit: characters. */
const mostCharacters = 100_000;

/** The tools of a server, sorted by name, and what had to be left out. */
export interface ToolList {
  readonly tools: readonly ListedTool[];
  readonly notes: readonly string[];
}

/**
 * Returns the tools of a server: the same bytes for the same tools, in whatever order the server lists them.
 *
 * @param wanted - the server's names of the tools to offer. @defaultValue all
 */
export function listedTools(server: string, given: readonly ServerTool[], wanted?: readonly string[]): ToolList {
  const chosen = given.filter(({ name }) => wanted?.includes(name) !== false);
  const tools: ListedTool[] = [];
  const names = new Set<string>();
  let [doubles, room, left] = [0, mostCharacters, 0];
  for (const tool of [...chosen].sort(byName)) {
    const name = toolName(server, tool.name);
    if (names.has(name)) doubles++;
    else if (room <= 0) left++;
    else {
      const listed = listedTool(server, name, tool);
      room -= JSON.stringify(listed.inputSchema).length + listed.description.length;
      if (room < 0) left++;
      else tools.push(listed);
    }
    names.add(name);
  }
  const missing = wanted?.filter((name) => !given.some((tool) => tool.name === name)) ?? [];
  return {
    tools,
    notes: [
      ...(doubles > 0 ? [`lists ${doubles} tools twice; the first of each name counts.`] : []),
      ...(left > 0
        ? [`describes its tools at great length; ${left} of ${chosen.length} are left out. Choose with 'tools'.`]
        : []),
      ...(missing.length > 0 ? [`has no tool ${missing.map((name) => `'${plainLine(name, 64)}'`).join(', ')}.`] : []),
    ],
  };
}

function listedTool(
  server: string,
  name: string,
  { name: tool, title, description, inputSchema }: ServerTool,
): ListedTool {
  const words = plainText(description ?? title ?? '', mostDescription);
  return {
    name,
    tool,
    description: words === '' ? `The tool '${plainLine(tool, 64)}' of the MCP server '${server}'.` : words,
    ...modelSchema(inputSchema),
  };
}

/** The longest name that all providers take. Unit: characters. */
const longest = 64;
/** Two names are told apart by as much of a digest. Unit: characters. */
const digestLength = 12;

/** Returns the beginning of the names of all tools of a server. */
export function toolPrefix(server: string): string {
  return `mcp__${server}__`;
}

/**
 * Returns the name of a server's tool for a model: `mcp__server__tool`. It depends on both names alone, so that it is the same
 * whatever other tools there are: a name with other characters than providers take, or one that is too long, ends with a
 * digest.
 */
function toolName(server: string, tool: string): string {
  const name = toolPrefix(server) + tool;
  // What ends as a digest does could be another tool's.
  if (/^[A-Za-z0-9_-]+$/.test(name) && name.length <= longest && !/_[0-9a-f]{12}$/.test(name)) return name;
  const digest = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, digestLength);
  return `${name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, longest - digestLength - 1)}_${digest}`;
}

/** Compares names by code units, so that the order is the same on every machine. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
