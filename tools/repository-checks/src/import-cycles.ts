import path from 'node:path';
import { importsOf } from './imports.js';

/**
 * One cycle for each group of files that import each other. Type imports count, because a file with them cannot be read,
 * moved or tested without the other file. `import()` counts too.
 *
 * @param sources The text of each file by its path.
 * @returns The files of each cycle in order. The first file is repeated at the end.
 */
export function importCycles(sources: ReadonlyMap<string, string>): readonly (readonly string[])[] {
  const cycles: (readonly string[])[] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (file: string): void => {
    const start = trail.indexOf(file);
    if (start >= 0) cycles.push([...trail.slice(start), file]);
    if (start >= 0 || done.has(file)) return;
    trail.push(file);
    for (const imported of neighbours(file, sources)) visit(imported);
    trail.pop();
    done.add(file);
  };
  for (const file of sources.keys()) visit(file);
  return cycles;
}

function neighbours(file: string, sources: ReadonlyMap<string, string>): readonly string[] {
  return importsOf(sources.get(file) ?? '')
    .filter((name) => name.startsWith('.'))
    .map((name) => path.join(path.dirname(file), name).replace(/\.(m?)js$/, '.$1ts'))
    .filter((imported) => sources.has(imported));
}
