import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { objectOf } from './log/json.js';
import type { LogSource, NeighbouringFiles, OpenLogOptions } from './log/session.js';
import { openLogText } from './log-source.js';
import { databaseSource } from './opencode-database.js';

/**
 * Opens a log: one JSON value per line, one JSON document, or the database of opencode. A document is kept in memory; lines
 * are read in blocks, a database session by session.
 *
 * @throws {@link HarnessError} `unknown-log-format` when the file contains no JSON; {@link HarnessError} `log-read` when it cannot be read.
 */
export async function openLog(file: string, options: OpenLogOptions): Promise<LogSource> {
  const database = await databaseSource(file, options);
  if (database !== undefined) return database;
  const { signal } = options;
  const blocks = (): AsyncIterable<string> =>
    createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 20, signal }) as AsyncIterable<string>;
  return openLogText({ file, blocks, neighbours: filesBeside(file) }, options);
}

function filesBeside(file: string): NeighbouringFiles {
  const folder = dirname(file);
  return {
    list: async (path) => {
      const entries = await orIfMissing(readdir(join(folder, path), { withFileTypes: true }), []);
      return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    },
    read: (path) => orIfMissing(readFile(join(folder, path), 'utf8'), undefined),
  };
}

async function orIfMissing<Value, Other>(reading: Promise<Value>, other: Other): Promise<Value | Other> {
  try {
    return await reading;
  } catch (error) {
    if (objectOf(error)['code'] === 'ENOENT') return other;
    throw error;
  }
}
