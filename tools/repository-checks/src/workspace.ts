import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

export interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface WorkspacePackage {
  /** The last part of its name, which is its folder's name too. */
  readonly shortName: string;
  readonly directory: string;
  readonly manifest: Manifest;
}

export const workspaceRoot = path.resolve(import.meta.dirname, '../../..');

/** The published libraries. */
export const packages: readonly WorkspacePackage[] = readdirSync(path.join(workspaceRoot, 'packages'))
  .sort()
  .map((shortName) => {
    const directory = path.join(workspaceRoot, 'packages', shortName);
    return { shortName, directory, manifest: readManifest(directory) };
  });

export function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8')) as Manifest;
}

/** `.` and the subpaths that hold code. */
export function entryPoints({ exports }: Manifest): readonly string[] {
  return Object.keys(exports).filter((entry) => entry !== './package.json');
}
