/** The versions of the agents with which each plugin was tested. Another one is used all the same, and `/condensed` names it. */
export const testedVersions = {
  'Claude Code': ['2.1.330', '2.1.332'],
  pi: ['1.5.2'],
  opencode: ['1.18.33'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** An agent for which there is a plugin. */
export type HostName = keyof typeof testedVersions;

/** Returns a sentence about a version that was not tested. Undefined for one that was, or that is not known. */
export function untestedVersion(host: HostName, version: string | undefined): string | undefined {
  const tested: readonly string[] = testedVersions[host];
  if (version === undefined || tested.includes(version)) return undefined;
  return `${host} ${version} was not tested with this plugin: ${tested.join(' and ')} ${tested.length === 1 ? 'was' : 'were'}.`;
}
