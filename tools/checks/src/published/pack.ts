import { execFile, type ExecFileOptions } from 'node:child_process';
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { apps, publishedPackages, publishedPlugins, readManifest, workspaceRoot } from '../workspace.js';

const run = promisify(execFile);

/** Tarballs by package name: our packages and, from node_modules, their dependencies. No registry is needed. */
export type Tarballs = ReadonlyMap<string, string>;

/**
 * Packs our packages as npm does, or takes the tarballs of the release whose folder `PALIMPSEST_RELEASE` names. The tarball of a dependency holds only its manifest, from which npm decides what to install
 * where: `npmInstall` puts the files of node_modules there, because to pack and to unpack 100 MB for each project took minutes.
 */
export async function packAll(destination: string): Promise<Tarballs> {
  const directories = new Map<string, string>();
  const release = releasedTarballs();
  const ours = [...publishedPackages, ...apps, ...publishedPlugins].map(({ manifest, directory }) => ({
    name: manifest.name,
    from: directory,
  }));
  const open = [...ours];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { name, from } = next;
    if (directories.has(name)) continue;
    const directory = installed(name, from);
    const isOurs = ours.some((each) => each.name === name);
    directories.set(
      name,
      isOurs ? directory : await manifestAlone(directory, path.join(destination, 'manifests', name)),
    );
    const { dependencies = {}, optionalDependencies = {} } = readManifest(directory);
    const optional = Object.keys(optionalDependencies).filter((each) => existsSync(installed(each, directory)));
    open.push(...[...Object.keys(dependencies), ...optional].map((each) => ({ name: each, from: directory })));
  }
  const unpacked = [...directories].filter(([name]) => !release.has(name)).map(([, directory]) => directory);
  return new Map([...release, ...(await npmPack(unpacked, destination))]);
}

/** The tarballs that `npm run release:dry` has packed; none in any other run. */
function releasedTarballs(): Tarballs {
  const folder = process.env['PALIMPSEST_RELEASE'];
  if (folder === undefined) return new Map();
  const packed = JSON.parse(readFileSync(path.join(folder, 'release.json'), 'utf8')) as readonly {
    readonly name: string;
    readonly file: string;
  }[];
  return new Map(packed.map(({ name, file }) => [name, path.join(folder, file)]));
}

/** Packs folders as they are: nothing is built. */
export async function npmPack(folders: readonly string[], destination: string): Promise<Tarballs> {
  const { stdout } = await npm(workspaceRoot, ['pack', '--json', '--pack-destination', destination, ...folders]);
  const packed = JSON.parse(stdout) as Packed[] | Record<string, Packed>;
  return new Map(Object.values(packed).map(({ name, filename }) => [name, path.join(destination, filename)]));
}

/** The fields that decide an installation, and the folder of the other files. */
interface ManifestAlone {
  readonly name: string;
  readonly filesOf?: string;
}

async function manifestAlone(directory: string, place: string): Promise<string> {
  const {
    name,
    version,
    dependencies,
    optionalDependencies,
    peerDependencies,
    peerDependenciesMeta,
    engines,
    os,
    cpu,
  } = readManifest(directory) as unknown as Readonly<Record<string, unknown>>;
  const decisive = { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta, engines, os, cpu };
  await mkdir(place, { recursive: true });
  await writeFile(path.join(place, 'package.json'), JSON.stringify({ name, version, ...decisive, filesOf: directory }));
  return place;
}

/** A dependent's own copy is used if the workspace root holds another version. */
function installed(name: string, from: string): string {
  const own = path.join(from, 'node_modules', name);
  return existsSync(own) ? own : path.join(workspaceRoot, 'node_modules', name);
}

interface Packed {
  readonly name: string;
  readonly filename: string;
}

/** Creates a project in which npm installs all our packages, for `installed`. */
export async function installAll(project: string, tarballs: Tarballs): Promise<void> {
  const names = [...publishedPackages, ...apps, ...publishedPlugins].map(({ manifest }) => manifest.name);
  const files = [...tarballs].map(([name, file]) => [name, `file:${file}`] as const);
  const manifest = {
    name: 'consumer',
    private: true,
    dependencies: Object.fromEntries(files.filter(([name]) => names.includes(name))),
    overrides: Object.fromEntries(files.filter(([name]) => !names.includes(name))),
  };
  await mkdir(project, { recursive: true });
  await writeFile(path.join(project, 'package.json'), JSON.stringify(manifest));
  await npmInstall(project, ['--legacy-peer-deps']);
}

/**
 * Creates a project with these packages, and with what they depend on and nothing else: what npm installs for them. Their files are
 * those of the project of `installAll`, because to run npm for each project took a seventh of all these tests.
 */
export async function install(project: string, names: readonly string[], everything: string): Promise<void> {
  const modules = path.join(everything, 'node_modules');
  const done = new Set<string>();
  const open = [...names];
  await mkdir(path.join(project, 'node_modules/.bin'), { recursive: true });
  await writeFile(path.join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true }));
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (done.has(name)) continue;
    done.add(name);
    const from = path.join(modules, name);
    // `packAll` packs one version of each.
    if (existsSync(path.join(from, 'node_modules'))) throw new Error(`${name} has packages of its own installed`);
    const { dependencies = {}, optionalDependencies = {}, bin = {} } = readManifest(from);
    const place = path.join(project, 'node_modules', name);
    mkdirSync(place, { recursive: true });
    linkFiles(from, place);
    const commands = typeof bin === 'string' ? { [path.basename(name)]: bin as string } : bin;
    for (const [command, file] of Object.entries(commands))
      await symlink(path.join('..', name, file), path.join(project, 'node_modules/.bin', command));
    open.push(...Object.keys(dependencies));
    open.push(...Object.keys(optionalDependencies).filter((each) => existsSync(path.join(modules, each))));
  }
  await linkPeers(project);
}

/** Installs what the manifest of the project names: tarballs of `packAll`. */
export async function npmInstall(project: string, options: readonly string[] = []): Promise<void> {
  await npm(project, ['install', '--offline', '--no-audit', '--no-fund', ...options]);
  await addFiles(path.join(project, 'node_modules'));
}

async function addFiles(modules: string): Promise<void> {
  for (const name of await installedPackages(modules)) {
    const directory = path.join(modules, name);
    const { filesOf } = readManifest(directory) as ManifestAlone;
    if (existsSync(path.join(directory, 'node_modules'))) await addFiles(path.join(directory, 'node_modules'));
    if (filesOf === undefined) continue;
    await rm(path.join(directory, 'package.json'));
    linkFiles(filesOf, directory);
  }
}

/** Without what is installed below. The files are one with those of the workspace where the disk is: nobody writes to them. */
function linkFiles(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) {
      mkdirSync(target);
      linkFiles(source, target);
      continue;
    }
    try {
      linkSync(source, target);
    } catch {
      // Another disk, or one without links.
      copyFileSync(source, target);
    }
  }
}

/** Frameworks that a package does not work without are not packed: they are the workspace's own. */
async function linkPeers(project: string): Promise<void> {
  for (const name of await installedPackages(path.join(project, 'node_modules'))) {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = readManifest(
      path.join(project, 'node_modules', name),
    ) as Peers;
    for (const peer of Object.keys(peerDependencies).filter((each) => !peerDependenciesMeta[each]?.optional)) {
      const place = path.join(project, 'node_modules', peer);
      if (!name.startsWith('@palimpsest/') || existsSync(place)) continue;
      await mkdir(path.dirname(place), { recursive: true });
      await symlink(path.join(workspaceRoot, 'node_modules', peer), place);
    }
  }
}

interface Peers {
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean } | undefined>>;
}

/** Returns the names in a folder `node_modules`. */
export async function installedPackages(modules: string): Promise<readonly string[]> {
  const names = (await readdir(modules)).filter((name) => !name.startsWith('.'));
  const nested = names.map(async (name) =>
    name.startsWith('@') ? (await readdir(path.join(modules, name))).map((part) => `${name}/${part}`) : [name],
  );
  return (await Promise.all(nested)).flat().sort();
}

/** Runs the command of a package that is installed in a folder around this one, with its own home and without a registry. */
export function npx(directory: string, args: readonly string[], home: Home): Promise<{ stdout: string }> {
  return command(directory, 'npx', ['--offline', ...args], home);
}

/** Whose home a command sees. */
export interface Home {
  readonly home: string;
}

/** Runs a program in a folder, with its own home. */
export function command(
  directory: string,
  program: string,
  args: readonly string[],
  { home }: Home,
): Promise<{ stdout: string }> {
  // Other variables, such as CLAUDE_CONFIG_DIR, would show the sessions of whoever runs this.
  const env = { PATH: process.env['PATH'], HOME: home, USERPROFILE: home };
  const running = run(program, args, { cwd: directory, env, shell: process.platform === 'win32' });
  // There is no input: nobody waits for it.
  running.child.stdin?.end();
  return running;
}

/**
 * Runs a program with this Node in the project.
 *
 * @returns the output on stdout
 * @throws Error with the whole output, if the exit code is not 0
 */
export function node(project: string, args: readonly string[]): Promise<string> {
  return program(process.execPath, args, { cwd: project });
}

/** Runs a program. Returns and throws as `node`. */
export async function program(file: string, args: readonly string[], options: ExecFileOptions): Promise<string> {
  try {
    return (await run(file, args, { ...options, encoding: 'utf8' })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${stderr}\n${stdout}`, { cause: error });
  }
}

function npm(directory: string, args: readonly string[]): Promise<{ stdout: string }> {
  // If npm runs this script, its JavaScript file is used, so Windows needs no shell.
  const program = process.env['npm_execpath'];
  const options = { cwd: directory, maxBuffer: 64 * 1024 * 1024 };
  const all = [...args, '--ignore-scripts', '--loglevel=error'];
  return program?.endsWith('.js') ? run(process.execPath, [program, ...all], options) : run('npm', all, options);
}
