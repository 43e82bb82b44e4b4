import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { startWriter, storedIds } from './writer-under-test.js';

/** A report of a writer whose disk refused some of its appends. */
export interface RefusedWriter {
  /** Unit: appends. */
  readonly acknowledged: number;
  /** The code of each error, in order. */
  readonly failed: readonly string[];
}

/**
 * Lets a writer append until so many of its appends have failed.
 *
 * @throws when the log then holds anything else than what was acknowledged, or its end is torn.
 */
export async function refusedWriter(
  command: readonly string[],
  where: { readonly directory: string; readonly conversationId: string },
  options: {
    readonly failures: number;
    readonly together: number;
    readonly largeBytes: number;
    readonly held?: number;
  },
): Promise<RefusedWriter> {
  const writer = startWriter(command, { ...where, prefix: 'a-', ...options });
  await writer.ended;
  const acknowledged = writer.ids('done');
  const repairs: unknown[] = [];
  assert.deepEqual(
    await storedIds(where.directory, where.conversationId, (report) => repairs.push(report)),
    acknowledged.flat(),
  );
  assert.deepEqual(repairs, []);
  assert.ok(!(await readdir(where.directory)).includes(`${where.conversationId}.lock`));
  return { acknowledged: acknowledged.length, failed: writer.ids('failed').map(([code]) => code ?? '') };
}

/**
 * Returns the command under which every second `fdatasync` of a program fails with `EIO`; undefined where this system
 * has no strace.
 */
export function failingDisk(program: readonly string[]): readonly string[] | undefined {
  const strace = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=fdatasync'];
  const inject = ['-e', 'inject=fdatasync:error=EIO:when=3+2'];
  return spawnSync(strace[0] ?? '', [...strace.slice(1), ...inject, 'true']).status === 0
    ? [...strace, ...inject, ...program]
    : undefined;
}
