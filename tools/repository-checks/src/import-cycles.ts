import path from 'node:path';
import { importsOf } from './imports.js';

/**
 * Files that import each other, one cycle of each such group: imports of types count, since they too keep a file from being read,
 * moved or tested without the other. `import()` counts as well.
 *
 * @param sources The text of each file by its path.
 * @returns Each cycle as its files in order, the first one again at its end.
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
