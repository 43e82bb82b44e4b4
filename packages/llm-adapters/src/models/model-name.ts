/**
 * The name by which the tables know a model: without what routers and clouds put around it (`openai/`, `us.anthropic.`,
 * `-v1:0`, `@20251001`, `:free`, `[1m]`), without the date of a snapshot, in small letters, versions written with hyphens where
 * Anthropic's names have them.
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
