import { plainLine, plainWords } from './plain-words.js';
import { byName, toolName } from './tool-names.js';
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
/** What the tools of one server may take of a model's window. Unit: characters. */
const mostCharacters = 100_000;

/** The tools of a server, sorted by name, and what had to be left out. */
export interface ToolList {
  readonly tools: readonly ListedTool[];
  readonly notes: readonly string[];
}

/**
 * The same bytes for the same tools, in whatever order the server lists them.
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
  const words = plainWords(description ?? title ?? '', mostDescription);
  return {
    name,
    tool,
    description: words === '' ? `The tool '${plainLine(tool, 64)}' of the MCP server '${server}'.` : words,
    ...modelSchema(inputSchema),
  };
}
