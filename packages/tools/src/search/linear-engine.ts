import { Worker } from 'node:worker_threads';
import { PalimpsestError } from '@palimpsest/events';
import type { Workspace } from '../workspace/workspace.js';
import { codeOf } from '../workspace/problems.js';
import { enginePatterns, SearchPatternError } from './pattern.js';
import { wholeContent } from '../workspace/text.js';
import { withFile } from '../workspace/open-file.js';

/** The pattern and the limits of a search. */
export interface EngineQuery {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** Aborted when the search is over. */
  readonly signal: AbortSignal;
}

/** A running search. */
export interface EngineSearch {
  /**
   * The numbers of the lines that match (the first is 1), for each file that has one. The paths are of regular files, relative to
   * the root of the workspace.
   */
  matchingLines(paths: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>>;
  close(): Promise<void>;
}

/** A search engine whose time is linear in the size of the files. */
export type Engine = (workspace: Workspace, query: EngineQuery) => Promise<EngineSearch>;

/** Files above this size are not searched. Unit: bytes. */
export const maxSearchedBytes = 10_000_000;

/** So many matching lines are noted of one file. */
export const maxLinesOfFile = 10_000;

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

type Request =
  | { readonly pattern: string; readonly ignoreCase: boolean; readonly maxLines: number }
  | { readonly bytes: Uint8Array<ArrayBuffer> };

interface Answer {
  readonly id: number;
  readonly problem?: string;
  readonly lines?: readonly number[];
}

/** A thread that matches the files of one search at a time. */
class SearchThread {
  // Its code stands beside this file, in the sources and in what is published.
  readonly #worker = new Worker(new URL('search-worker.mjs', import.meta.url));
  readonly #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  #asked = 0;
  #failure: Error | undefined;

  constructor() {
    this.#worker.on('message', (answer: Answer) => {
      this.#waiting.get(answer.id)?.resolve(answer);
      this.#waiting.delete(answer.id);
    });
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('The thread of the search has ended.')));
  }

  /** True if it can be used for another search. */
  get isFree(): boolean {
    return this.#failure === undefined && this.#waiting.size === 0;
  }

  ask(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      const id = this.#asked++;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ...request }, 'bytes' in request ? [request.bytes.buffer] : []);
    });
  }

  /** From then on it keeps its process alive, as a search does. */
  begin(): void {
    this.#worker.ref();
  }

  /** From then on it keeps no process alive. */
  rest(): void {
    this.#worker.unref();
  }

  async end(reason: Error): Promise<void> {
    this.#fail(reason);
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}

/** Between searches one thread rests: to start it and to load RE2 takes longer than most searches. */
let resting: SearchThread | undefined;

/** Takes a thread: a search has one for itself. */
function takeThread(): SearchThread {
  const thread = resting?.isFree === true ? resting : new SearchThread();
  resting = undefined;
  thread.begin();
  return thread;
}

/** Gives a thread back. One that was given up, or that is still at work, is not used again. */
async function giveBack(thread: SearchThread): Promise<void> {
  if (resting !== undefined || !thread.isFree) return thread.end(new Error('The search is over.'));
  resting = thread;
  thread.rest();
}

/**
 * Returns the engine that needs no program: RE2 in JavaScript, in a thread of its own, so that a long search blocks
 * nothing and ends at once when the signal is aborted.
 */
export const linearEngine: Engine = async (workspace, { pattern, ignoreCase, signal }) => {
  const { re2 } = enginePatterns(pattern);
  signal.throwIfAborted();
  const thread = takeThread();
  const abort = () => void thread.end(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  const close = async () => {
    signal.removeEventListener('abort', abort);
    await giveBack(thread);
  };
  try {
    const { problem } = await thread.ask({ pattern: re2, ignoreCase, maxLines: maxLinesOfFile });
    if (problem !== undefined) {
      throw new SearchPatternError(
        pattern,
        `is no regular expression that the search takes (${problem}). Escape what is meant literally.`,
      );
    }
  } catch (error) {
    await close();
    throw codeOf(error)?.endsWith('MODULE_NOT_FOUND') === true ? new SearchWorkerError(error) : error;
  }
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
          const { lines = [] } = await thread.ask({ bytes: Uint8Array.from(content) });
          if (lines.length > 0) found.set(path, lines);
        }
      };
      await Promise.all(Array.from({ length: filesAtOnce }, work));
      return found;
    },
  };
};
