import { readFile, stat } from 'node:fs/promises';
import type { Workspace } from './workspace.js';

/** Files above this size are not read whole. Unit: bytes. */
const maxBytes = 2_000_000;

/** Reads a text file of the workspace. @throws an error whose message tells the model what to do instead */
export async function readTextFile(workspace: Workspace, requested: string): Promise<string> {
  const absolute = await workspace.resolve(requested);
  const shown = workspace.show(absolute);
  const status = await stat(absolute).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      error.code === 'ENOENT'
        ? `There is no file '${shown}'. Use list_files or search to find it.`
        : `'${shown}' cannot be read: ${error.code ?? error.message}.`,
    );
  });
  if (status.isDirectory()) throw new Error(`'${shown}' is a folder. Use list_files.`);
  if (status.size > maxBytes) throw new Error(`'${shown}' has ${status.size} bytes; ${maxBytes} can be read.`);
  const text = decoded(await readFile(absolute), shown);
  if (text.includes('\0')) throw new Error(`'${shown}' is not a text file.`);
  return text;
}

/** Decodes strictly: a replaced byte would be lost when the text is written back. */
function decoded(bytes: Uint8Array, shown: string): string {
  try {
    // `ignoreBOM: true` keeps a byte order mark in the text, and so in the file.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Error(`'${shown}' is not UTF-8 text. Use run_command to look at it or to convert it.`, { cause });
  }
}

/** The lines of a text; a line break at its end begins no new line. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Lines with their numbers in front, from a given line on (the first is 1). */
export function numbered(lines: readonly string[], firstLine: number): string {
  const width = String(firstLine + lines.length - 1).length;
  return lines.map((line, index) => `${String(firstLine + index).padStart(width)}\t${line}`).join('\n');
}
