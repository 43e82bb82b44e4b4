import { textRange } from '@palimpsest/events';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputPart, OutputStore } from '../tool-calls/output.js';

/** Options of {@link fileOutputStore}. */
export interface FileOutputStoreOptions {
  /** Created when the first output is stored. */
  readonly directory: string;
}

/** A handle is a hash, so that a handle that a model or a page wrote can name no other file. */
const handlePattern = /^output-[0-9a-f]{32}$/;

/**
 * Stores long tool outputs in files. Equal texts have the same handle, so a call that is run again adds nothing. A handle
 * that this store did not make names nothing.
 */
export function fileOutputStore({ directory }: FileOutputStoreOptions): OutputStore {
  return {
    async put({ text }) {
      const handle = `output-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
      await mkdir(directory, { recursive: true });
      await writeFile(join(directory, `${handle}.txt`), text, { flush: true });
      return handle;
    },
    async get(handle) {
      if (!handlePattern.test(handle)) return undefined;
      try {
        return await readFile(join(directory, `${handle}.txt`), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async part(handle, range) {
      if (!handlePattern.test(handle)) return undefined;
      try {
        return await partOf(join(directory, `${handle}.txt`), range);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
  };
}

/** Reads the whole file and keeps only the part, with a character more at each end, whose pairs may be cut. */
async function partOf(
  file: string,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<OutputPart> {
  const from = Math.max(0, offset - 1);
  let [text, total] = ['', 0];
  const stream = createReadStream(file, { encoding: 'utf8', highWaterMark: 262_144 }) as AsyncIterable<string>;
  for await (const piece of stream) {
    text += piece.slice(Math.max(0, from - total), Math.max(0, offset + length + 2 - total));
    total += piece.length;
  }
  const { start, end } = textRange(text, offset - from, length);
  return { text: text.slice(start, end), start: Math.min(from + start, total), total };
}
