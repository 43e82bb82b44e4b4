/** The workflow that serves a request. */
export const workflowName = 'palimpsest-run';

/**
 * Always the same for workers of one name: the log is the state, and a new version of the program goes on with it. DBOS wants versions of
 * different applications to differ.
 */
export function applicationVersionOf(name: string): string {
  return `palimpsest ${name}`;
}
