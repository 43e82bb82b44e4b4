import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { printableLine } from '@palimpsest/terminal';
import { exitStatus, UsageError } from '../context.js';
import type { CliContext } from '../context.js';
import { openRegularFile } from '../settings/user-files.js';
import { diagnosisOf } from './diagnosis.js';
import type { Damage } from './diagnosis.js';

/** Options of `palimpsest doctor`. */
export interface DoctorFlags {
  /** The path of the repaired copy. @defaultValue beside the log, with `.repaired` in its name */
  readonly output?: string;
}

/** More lines than this nobody reads. */
const mostLines = 50;

/**
 * Runs `palimpsest doctor`: reports the faults of a log, and writes a repaired copy. What the copy lacks is in a file
 * beside it. The log itself is not changed. Resolves to the exit status: 0 if nothing is wrong.
 *
 * @throws {@link UsageError} when the log cannot be read, or the copy cannot be written.
 */
export async function doctorCommand(
  file: string,
  { output }: DoctorFlags,
  { cwd, stdout }: Pick<CliContext, 'cwd' | 'stdout'>,
): Promise<number> {
  const log = resolve(cwd, file);
  const print = (line: string, indent = '') => stdout.write(`${indent}${printableLine(line)}\n`);
  const { lines, events, damages } = diagnosisOf(await bytesOf(log));
  if (damages.length === 0) {
    print(`${log}: ${counted(events.length, 'event')}, and nothing is wrong.`);
    return exitStatus.done;
  }
  print(`${log}: ${counted(lines, 'line')}, ${counted(events.length, 'event')}, ${counted(damages.length, 'damage')}:`);
  for (const { line, what } of damages.slice(0, mostLines)) print(`line ${line}: ${what}`, '  ');
  if (damages.length > mostLines) print(`and ${damages.length - mostLines} more`, '  ');
  if (existsSync(`${withoutEnding(log)}.lock`))
    print('A session may be writing to it: look again when that has ended.');
  if (events.length === 0) {
    print('Nothing in it is an event, so there is no copy to write. Is it a log?');
    return exitStatus.error;
  }

  const copy = output === undefined ? `${withoutEnding(log)}.repaired.jsonl` : resolve(cwd, output);
  const leftOut = `${withoutEnding(copy)}.left-out.jsonl`;
  const originals = damages.filter(({ original }) => original !== undefined);
  // First, so that there is no copy without what it lacks.
  if (originals.length > 0) await write(leftOut, originals.map(leftOutLine));
  await write(copy, events).catch(async (error: unknown) => {
    if (originals.length > 0) await rm(leftOut, { force: true });
    throw error;
  });
  print(`The repaired copy: ${copy}`);
  if (originals.length > 0) print(`What it lacks, or holds otherwise, as it was: ${leftOut}`);
  print('The log is as it was. To go on with the copy, keep the log elsewhere and give the copy its name.');
  return exitStatus.error;
}

async function bytesOf(log: string): Promise<Buffer> {
  let why = 'there is no such file';
  try {
    const handle = await openRegularFile(log);
    if (handle !== undefined) {
      try {
        return await handle.readFile();
      } finally {
        await handle.close();
      }
    }
  } catch (error) {
    why = (error as Error).message;
  }
  throw new UsageError(`Cannot read '${log}': ${why}.`);
}

/** A line of the file with what was left out: where it was, why, and the bytes, as a text where they are one. */
function leftOutLine({ line, what, original = Buffer.alloc(0) }: Damage): string {
  const text = original.toString('utf8');
  const content = Buffer.from(text).equals(original) ? { text } : { base64: original.toString('base64') };
  return JSON.stringify({ line, what, ...content });
}

/** Never over another file. Whole or not at all. */
async function write(path: string, lines: readonly string[]): Promise<void> {
  try {
    const handle = await open(path, 'wx', 0o600);
    try {
      for (const line of lines) await handle.appendFile(`${line}\n`);
      await handle.sync();
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it exists already. Move it away, or name another file with --output' : message;
    throw new UsageError(`Cannot write '${path}': ${why}.`, { cause });
  }
}

function withoutEnding(path: string): string {
  return path.replace(/\.jsonl$/, '');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
