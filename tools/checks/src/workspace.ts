import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

export interface Manifest {
  readonly name: string;
  readonly description?: string;
  /** Bundled into the applications, and not published. */
  readonly private?: boolean;
  /** What is packed, besides the README and the licence. */
  readonly files?: readonly string[];
  /** Indexed by entry point. Commands have no entry points. */
  readonly exports?: Readonly<Record<string, unknown>>;
  /** Indexed by command name. */
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly repository?: { readonly type: string; readonly url: string; readonly directory: string };
  readonly homepage?: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

export interface Workspace {
  /** The last part of the package name. It is also the name of the folder. */
  readonly shortName: string;
  readonly directory: string;
  readonly manifest: Manifest;
}

export const workspaceRoot = path.resolve(import.meta.dirname, '../../..');

/** The libraries. */
export const packages = workspacesIn('packages');

/** The libraries without those that the applications bundle. */
export const publishedPackages = packages.filter(({ manifest }) => manifest.private !== true);

/** The commands. */
export const apps = workspacesIn('apps');

/** Bundles that an agent loads, and the kit that is inside of them. */
export const plugins = workspacesIn('plugins');

/** The plugins that npm has. That of Claude Code is a folder that a marketplace lists. */
export const publishedPlugins = plugins.filter(({ manifest }) => manifest.private !== true);

function workspacesIn(folder: string): readonly Workspace[] {
  return readdirSync(path.join(workspaceRoot, folder))
    .sort()
    .map((shortName) => {
      const directory = path.join(workspaceRoot, folder, shortName);
      return { shortName, directory, manifest: readManifest(directory) };
    });
}

export function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8')) as Manifest;
}

/** Returns the entries of a package: `.` and the subpaths that contain code. */
export function entryPoints({ exports }: Manifest): readonly string[] {
  return Object.keys(exports ?? {}).filter((entry) => entry !== './package.json');
}
