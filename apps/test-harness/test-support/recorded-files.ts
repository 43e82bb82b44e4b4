import { readSessions } from '../src/import/index.js';

const isLongRun = process.env['PALIMPSEST_LONG_RUNS'] === 'true';
/** On the second engine of `.ci/run`. */
const isBriefRun = process.env['PALIMPSEST_BRIEF_RUNS'] === 'true';

/** Which of the real sessions {@link recordedFiles} gives, for the titles of tests. */
export const extent = isLongRun
  ? 'all of them'
  : isBriefRun
    ? 'the first of each kind'
    : 'the first of each kind, and the longest';

/**
 * Files of the real sessions below a folder: the first of each kind, one kind in each subfolder, and the longest of all. All of them
 * in a long run (`npm run test:long`), and without the longest in a brief one.
 */
export async function recordedFiles(folder: string): Promise<readonly string[]> {
  const all = new Set<string>();
  const firsts = new Map<string, string>();
  let [longest, mostEvents] = ['', 0];
  for await (const { name, file, events } of readSessions(folder)) {
    all.add(file);
    const kind = name.split('/')[0] ?? '';
    if (!firsts.has(kind)) firsts.set(kind, file);
    if (events.length > mostEvents) [longest, mostEvents] = [file, events.length];
  }
  if (isBriefRun) return [...firsts.values()].filter((file) => file !== longest);
  return [...(isLongRun ? all : new Set([...firsts.values(), longest]))];
}
