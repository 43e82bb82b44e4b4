/**
 * The name of a model in the tables: without the prefixes and suffixes of routers and clouds (`openai/`, `us.anthropic.`,
 * `-v1:0`, `@20251001`, `:free`, `[1m]`), without the snapshot date, in lower case, and with hyphens in version numbers if it
 * is an Anthropic name.
 */
export function modelName(model: string): string {
  const bare = model
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^(?:[a-z]{2,6}\.)?anthropic\./, '')
    .replace(/-v\d+:\d+$/, '')
    .replace(/\[\d+[km]\]$/, '')
    .replace(/[@:][\w.-]*$/, '')
    .replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '')
    .replace(/-latest$/, '');
  return bare.startsWith('claude-') ? bare.replace(/\./g, '-') : bare;
}
