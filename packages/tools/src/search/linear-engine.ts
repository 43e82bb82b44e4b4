import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { PalimpsestError } from '@palimpsest/events';
import { maxLinesOfFile, maxSearchedBytes } from './engine.js';
import type { Engine } from './engine.js';
import { codeOf } from '../file-problem.js';
import { enginePatterns, SearchPatternError } from './pattern.js';
import { wholeContent } from '../text-file.js';
import { withFile } from '../workspace-file.js';

/** The code of the search's thread is not there: a bundle of your program has left it out. */
export class SearchWorkerError extends PalimpsestError {
  static override get typeName(): string {
    return 'SearchWorkerError';
  }

  constructor(cause: unknown) {
    const way =
      'Keep @palimpsest/tools out of the bundle, or bundle its dist/search-worker.mjs to a file beside it; or install ripgrep.';
    super('search-worker', `The search has no search-worker.mjs beside the program. ${way}`, { cause });
  }
}

/** So many files are read at once. */
const filesAtOnce = 4;

type Answer = { readonly id: number; readonly lines: readonly number[] };

/**
 * The engine that needs no program: RE2 in JavaScript, in a thread of its own, so that a long search blocks nothing and ends at
 * once when the signal is aborted.
 */
export const linearEngine: Engine = async (workspace, { pattern, ignoreCase, signal }) => {
  const { re2 } = enginePatterns(pattern);
  signal.throwIfAborted();
  // The thread's code stands beside this file, in the sources and in what is published.
  const worker = new Worker(new URL('search-worker.mjs', import.meta.url), {
    workerData: { pattern: re2, ignoreCase, maxLines: maxLinesOfFile },
  });
  const waiting = new Map<number, { resolve: (lines: readonly number[]) => void; reject: (error: Error) => void }>();
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const abort = () => {
    fail(signal.reason as Error);
    void worker.terminate();
  };
  worker.on('error', fail);
  signal.addEventListener('abort', abort, { once: true });
  const close = async () => {
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  };
  try {
    const [first] = (await Promise.race([once(worker, 'message'), ended(signal)])) as [{ readonly problem?: string }];
    if (first.problem !== undefined) {
      throw new SearchPatternError(
        pattern,
        `is no regular expression that the search takes (${first.problem}). Escape what is meant literally.`,
      );
    }
  } catch (error) {
    await close();
    throw codeOf(error)?.endsWith('MODULE_NOT_FOUND') === true ? new SearchWorkerError(error) : error;
  }
  worker.on('message', ({ id, lines }: Answer) => {
    waiting.get(id)?.resolve(lines);
    waiting.delete(id);
  });
  let next = 0;
  const ask = async (bytes: Uint8Array<ArrayBuffer>) =>
    new Promise<readonly number[]>((resolve, reject) => {
      if (failure !== undefined) return reject(failure);
      const id = next++;
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, bytes }, [bytes.buffer]);
    });
  return {
    close,
    async matchingLines(paths) {
      const found = new Map<string, readonly number[]>();
      const left = [...paths];
      const work = async () => {
        for (let path = left.shift(); path !== undefined; path = left.shift()) {
          signal.throwIfAborted();
          const file = path;
          // A file that is too long or cannot be read has no matching line.
          const content = await withFile(workspace, file, (open) => wholeContent(open, file, maxSearchedBytes)).catch(
            () => undefined,
          );
          if (content === undefined || content.length === 0) continue;
          const lines = await ask(Uint8Array.from(content));
          if (lines.length > 0) found.set(path, lines);
        }
      };
      await Promise.all(Array.from({ length: filesAtOnce }, work));
      return found;
    },
  };
};

async function ended(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}
