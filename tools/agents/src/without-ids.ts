import type { Place } from './place.js';

/** Names of fields that differ between two runs of one script. */
const varying =
  /^(?:id|.*ID|.*Id|parentId|timestamp|time|start|end|created|updated|completed|.*Ms|usage|tokens|cost|signature|thinkingSignature|snapshot|hash|slug|responseId|firstKeptEntryId|version|total)$/;

/** Returns texts of JSON as one text without what differs between two runs: ids, times, counts, signatures, and the run's folders. */
export function withoutIds(texts: readonly string[], { home, project }: Pick<Place, 'home' | 'project'>): string {
  return texts
    .map((each) => JSON.stringify(JSON.parse(each), fixed, 1))
    .join('\n')
    .replaceAll(project, 'PROJECT')
    .replaceAll(home, 'HOME')
    .replaceAll(/palimpsest-agents-\w+/g, 'FOLDER');
}

function fixed(key: string, value: unknown): unknown {
  if (varying.test(key)) return undefined;
  // pi saves which tools it declared, and the plugin's is one.
  return Array.isArray(value)
    ? (value as readonly { readonly name?: unknown }[]).filter((one) => one?.name !== 'recall')
    : value;
}
