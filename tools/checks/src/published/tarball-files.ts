import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Manifest } from '../workspace.js';

/** Returns the files of an unpacked tarball, from its root. */
export function filesOf(unpacked: string): readonly string[] {
  return readdirSync(unpacked, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(unpacked, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .filter((file) => !file.startsWith('node_modules/'))
    .sort();
}

/** Returns what a user can load: the entries, commands and extensions of the manifest, and all that these name by a relative path. */
export function reachable(unpacked: string, manifest: Manifest): ReadonlySet<string> {
  const files = new Set(filesOf(unpacked));
  const { main, module, types, typesVersions, exports, bin, pi } = manifest as Manifest &
    Readonly<Record<string, unknown>>;
  const open = [main, module, types, typesVersions, exports, bin, pi].flatMap(pathsIn);
  const found = new Set<string>();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file) || !files.has(file)) continue;
    found.add(file);
    if (!/\.(?:[cm]?js|d\.[cm]?ts)$/.test(file)) continue;
    const text = readFileSync(path.join(unpacked, file), 'utf8');
    for (const [, target = ''] of text.matchAll(/["'`](\.\.?\/[^"'`\s]+)["'`]/g))
      open.push(...asDeclared(path.posix.join(path.posix.dirname(file), target)));
  }
  return found;
}

/** Every path in a field of a manifest, at any depth. */
function pathsIn(field: unknown): readonly string[] {
  if (typeof field === 'string') return [path.posix.normalize(field)];
  return typeof field === 'object' && field !== null ? Object.values(field).flatMap(pathsIn) : [];
}

/** A declaration imports the name of the code: `./x.js` is `x.d.ts` there. */
function asDeclared(file: string): readonly string[] {
  return [file, file.replace(/\.(c|m)?js$/, '.d.$1ts')];
}

/** A package whose code is in a bundle, as a file of notices names it. */
export interface Notice {
  readonly name: string;
  readonly license: string;
  /** The words of the licence. */
  readonly text: string;
}

/** Reads what `third-party-notices.base.ts` has written. */
export function noticesIn(text: string): readonly Notice[] {
  const heads = [...text.matchAll(/^(\S+) \d+\.\d+\.\d+\S* \((.+)\)$/gm)];
  return heads.map(({ index, 0: head, 1: name = '', 2: license = '' }, i) => ({
    name,
    license,
    text: text.slice(index + head.length, heads[i + 1]?.index).trim(),
  }));
}
