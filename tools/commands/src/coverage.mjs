import { Session } from 'node:inspector';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { workspaceRoot } from './run.mjs';

/**
 * What ran of a file of ours.
 *
 * @typedef {{ readonly file: string, readonly functions: number }} RunFile
 */

/** Counts the functions of this process that run between two moments. */
export class Coverage {
  #session = new Session();

  constructor() {
    this.#session.connect();
    this.#post('Profiler.enable');
    this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** Forgets what has run so far: loading a module runs its code, too. */
  restart() {
    this.#post('Profiler.takePreciseCoverage');
  }

  /**
   * Returns the files of packages, without those of their published tests, in which a function was called, by path. Calls of what
   * stands outside of all functions of a file are not counted.
   *
   * @returns {readonly RunFile[]}
   */
  taken() {
    /** @type {Map<string, number>} */
    const functionsOf = new Map();
    const { result = [] } = this.#post('Profiler.takePreciseCoverage') ?? {};
    for (const { url, functions } of result) {
      if (!url.startsWith('file:')) continue;
      const file = path.relative(workspaceRoot, fileURLToPath(url)).replaceAll(path.sep, '/');
      if (!/^packages\/[^/]+\/src\//.test(file) || /^packages\/provider-servers\/|\/testing\//.test(file)) continue;
      // The first is the module. `__name` is of the program that strips the types.
      const called = functions
        .slice(1)
        .filter(({ functionName, ranges }) => functionName !== '__name' && (ranges[0]?.count ?? 0) > 0);
      if (called.length > 0) functionsOf.set(file, (functionsOf.get(file) ?? 0) + called.length);
    }
    return [...functionsOf]
      .map(([file, functions]) => ({ file, functions }))
      .sort((a, b) => (a.file < b.file ? -1 : 1));
  }

  /**
   * A session of the own thread answers at once.
   *
   * @param {string} method
   * @param {object} [parameters]
   * @returns {{ result?: readonly { url: string, functions: readonly { functionName: string, ranges: readonly { count: number }[] }[] }[] } | undefined}
   */
  #post(method, parameters = {}) {
    /** @type {object | undefined} */
    let answer;
    this.#session.post(method, parameters, (error, result) => {
      if (error) throw error;
      answer = result;
    });
    return answer;
  }
}
