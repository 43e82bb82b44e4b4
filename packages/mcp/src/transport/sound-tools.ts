import { isSpecType } from '@modelcontextprotocol/client';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';

/** A list of tools without those that are not valid, and the names of these. */
export interface SoundTools {
  readonly message: JSONRPCMessage;
  readonly refused: readonly string[];
}

type Node = Readonly<Record<string, unknown>>;

/** What a schema calls the header in which an argument is sent, too. */
const headerKey = 'x-mcp-header';
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const headerTypes: readonly unknown[] = ['string', 'integer', 'boolean'];

/**
 * Takes the tools that are not valid out of an answer that lists tools. For one such tool the SDK refuses the whole list, and for a
 * header that is none it writes to the console, in the words of the server.
 */
export function soundTools(message: JSONRPCMessage): SoundTools {
  const { result } = message as { readonly result?: { readonly tools?: unknown } | null };
  const tools = result?.tools;
  if (!Array.isArray(tools) || tools.every(isSound)) return { message, refused: [] };
  return {
    message: { ...message, result: { ...result, tools: tools.filter(isSound) } },
    refused: tools.filter((tool) => !isSound(tool)).map(nameOf),
  };
}

function isSound(tool: unknown): boolean {
  try {
    return isSpecType.Tool(tool) && hasSoundHeaders(tool.inputSchema);
  } catch {
    // Nested too deeply to be read.
    return false;
  }
}

function nameOf(tool: unknown): string {
  return isNode(tool) && typeof tool['name'] === 'string' ? tool['name'] : 'a tool without a name';
}

/** A header is one of an argument, at any depth of `properties`, and no two have the same name. */
function hasSoundHeaders(schema: Node): boolean {
  const names = new Set<string>();
  const count = (node: Node): number => {
    const { properties } = node;
    if (!isNode(properties)) return 0;
    return Object.values(properties)
      .filter(isNode)
      .reduce((sum, property) => {
        const name = property[headerKey];
        const isHeader = typeof name === 'string' && headerName.test(name) && headerTypes.includes(property['type']);
        if (isHeader) names.add(name.toLowerCase());
        return sum + (isHeader ? 1 : 0) + count(property);
      }, 0);
  };
  const sound = count(schema);
  return sound === names.size && sound === keysIn(schema);
}

/** How often the key stands anywhere. */
function keysIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + keysIn(item), 0);
  if (!isNode(value)) return 0;
  return Object.entries(value).reduce((sum, [key, item]) => sum + (key === headerKey ? 1 : 0) + keysIn(item), 0);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
