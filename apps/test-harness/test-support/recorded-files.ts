import { readSessions } from '../src/import/index.js';

const isLongRun = process.env['PALIMPSEST_LONG_RUNS'] === 'true';

/** Which of the real sessions {@link recordedFiles} gives, for the titles of tests. */
export const extent = isLongRun ? 'all of them' : 'the first and the longest of each kind';

/**
 * Files of the real sessions below a folder: the first and the longest of each kind, one kind in each subfolder. All of them in
 * a long run (`npm run test:long`).
 */
export async function recordedFiles(folder: string): Promise<readonly string[]> {
  const all = new Set<string>();
  const kinds = new Map<string, { readonly first: string; longest: string; events: number }>();
  for await (const { name, file, events } of readSessions(folder)) {
    all.add(file);
    const source = name.split('/')[0] ?? '';
    const kind = kinds.get(source) ?? { first: file, longest: file, events: events.length };
    if (events.length > kind.events) [kind.longest, kind.events] = [file, events.length];
    kinds.set(source, kind);
  }
  return [...(isLongRun ? all : new Set([...kinds.values()].flatMap(({ first, longest }) => [first, longest])))];
}
