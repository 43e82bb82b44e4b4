import { createHash } from 'node:crypto';

/** The longest name that all providers take. Unit: characters. */
const longest = 64;
/** Two names are told apart by as much of a digest. Unit: characters. */
const digestLength = 12;

/** The beginning of the names of all tools of a server. */
export function toolPrefix(server: string): string {
  return `mcp__${server}__`;
}

/**
 * The name of a server's tool for a model: `mcp__server__tool`. It depends on both names alone, so that it is the same whatever other
 * tools there are: a name with other characters than providers take, or one that is too long, ends with a digest.
 */
export function toolName(server: string, tool: string): string {
  const name = toolPrefix(server) + tool;
  // What ends as a digest does could be another tool's.
  if (/^[A-Za-z0-9_-]+$/.test(name) && name.length <= longest && !/_[0-9a-f]{12}$/.test(name)) return name;
  const digest = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, digestLength);
  return `${name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, longest - digestLength - 1)}_${digest}`;
}

/** By code units, as on every machine. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
