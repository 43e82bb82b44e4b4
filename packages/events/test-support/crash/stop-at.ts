// Stops this process before one of its operations on files: so that tests reach every moment without waiting for it.
import fs, { promises, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';

type Method = (...parameters: never[]) => unknown;

const ofFiles = ['open', 'mkdir', 'readdir', 'rename', 'rmdir', 'unlink', 'writeFile', 'stat'];
const synchronous = ['accessSync', 'statSync', 'fstatSync'];
const ofHandles = ['write', 'read', 'sync', 'datasync', 'truncate', 'stat', 'close', 'chmod'];

/** Tells `stopped <name>` and stops this process before the operation of this number, counted from 1. */
export async function stopAt(number: number): Promise<void> {
  let operations = 0;
  const stopping = (target: object, names: readonly string[]) => {
    const methods = target as Record<string, Method>;
    for (const name of names) {
      const method = methods[name];
      if (method === undefined) continue;
      methods[name] = function (this: unknown, ...parameters: never[]) {
        if (++operations === number) {
          writeSync(1, `stopped ${name}\n`);
          process.kill(process.pid, 'SIGSTOP');
        }
        return method.apply(this, parameters);
      };
    }
  };
  const handle: FileHandle = await promises.open(process.execPath, 'r');
  stopping(Object.getPrototypeOf(handle) as object, ofHandles);
  stopping(promises, ofFiles);
  stopping(fs, synchronous);
  await handle.close();
  operations = 0;
  syncBuiltinESMExports();
}
