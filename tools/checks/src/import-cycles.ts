import path from 'node:path';

/** The neighbours of each node. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** Relative modules only. A parser took 4 s for all files, and would find the same. */
const imported = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]*)['"]/g;

/**
 * Returns the files that each file imports. Type imports count, because a file with them cannot be read, moved or tested without the
 * other file. `import()` counts too.
 *
 * @param sources The text of each file by its path.
 */
export function importGraph(sources: ReadonlyMap<string, string>): Graph {
  return new Map(
    [...sources].map(([file, text]) => {
      const names = [...text.matchAll(imported)].map(([, name = '']) => name.replace(/\.(m?)js$/, '.$1ts'));
      return [file, names.map((name) => path.join(path.dirname(file), name)).filter((each) => sources.has(each))];
    }),
  );
}

/**
 * Returns a graph for each folder: its sub-folders, and which of them import of which others. A sub-folder stands for all that is in
 * it. Files beside the sub-folders are left out.
 */
export function folderGraphs(files: Graph): readonly Graph[] {
  const graphs = new Map<string, Map<string, readonly string[]>>();
  for (const [file, others] of files) {
    const from = path.dirname(file).split('/');
    for (const other of others) {
      const to = path.dirname(other).split('/');
      const depth = from.findIndex((part, index) => part !== to[index]);
      if (depth < 0 || to.length <= depth) continue;
      const parent = from.slice(0, depth).join('/');
      const graph = graphs.get(parent) ?? new Map<string, readonly string[]>();
      const [folder, neighbour] = [from, to].map((parts) => parts.slice(0, depth + 1).join('/')) as [string, string];
      graphs.set(parent, graph.set(folder, [...new Set(graph.get(folder)).add(neighbour)]));
    }
  }
  return [...graphs.values()];
}

/** Returns one cycle for each group of nodes that lead to each other. The first node is repeated at the end. */
export function cyclesIn(graph: Graph): readonly (readonly string[])[] {
  const cycles: (readonly string[])[] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (node: string): void => {
    const start = trail.indexOf(node);
    if (start >= 0) cycles.push([...trail.slice(start), node]);
    if (start >= 0 || done.has(node)) return;
    trail.push(node);
    for (const neighbour of graph.get(node) ?? []) visit(neighbour);
    trail.pop();
    done.add(node);
  };
  for (const node of graph.keys()) visit(node);
  return cycles;
}
