import { defineTool, sliceText } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { z } from 'zod';
import { UnusableFileError, fileOrFolderAt } from '../workspace/workspace.js';
import { shownName } from '../workspace/problems.js';
import { linesOf, utf16Of, wholeContent } from '../workspace/text.js';
import { walk } from '../workspace/walk.js';
import { withFile } from '../workspace/open-file.js';
import type { Workspace } from '../workspace/workspace.js';
import { maxSearchedBytes, linearEngine } from './linear-engine.js';
import type { Engine, EngineSearch } from './linear-engine.js';
import { findRipgrep, ripgrepEngine } from './ripgrep.js';

const maxLineCharacters = 300;
/** An engine gets so many files at once, and names of so many characters: a system limits what a process is given. */
const filesAtOnce = 500;
const nameCharactersAtOnce = 50_000;
/** So many matches are counted. */
const maxCounted = 10_000;
const defaultTimeoutMs = 30_000;

const input = z.object({
  pattern: z.string().min(1).max(2_000).describe('A regular expression, without look-around and back-references.'),
  path: z.string().min(1).default('.').describe('The file or folder to search, relative to the root of the workspace.'),
  ignore_case: z.boolean().default(false).describe('Whether capitals and small letters are the same.'),
  max_results: z.int().min(1).max(1000).default(100).describe('How many lines to show at most.'),
});

/** Options of {@link searchTool}. */
export interface SearchOptions {
  /**
   * The absolute path of ripgrep, or `false` for the engine that needs no program. Both give the same answers,
   * but for lines that are no UTF-8: there only RE2 has a character for each byte that is none. In a bundle the code of
   * its thread is missing: `SearchWorkerError` says what to do.
   * @defaultValue the first ripgrep on the `PATH` that is outside of the workspace, if there is one
   */
  readonly ripgrep?: string | false;
  /** The time limit. When it is over, the search shows what it has found. Unit: milliseconds. @defaultValue 30000 */
  readonly timeoutMs?: number;
  /**
   * Returns true for a file that is not searched, such as one that a rule for `read_file` closes. Called with its path relative to the root.
   * @defaultValue every file is searched
   */
  readonly isClosed?: (path: string) => boolean;
}

/**
 * Returns the tool `search`. Both of its engines take time that is linear in the size of the files, run outside of the main
 * thread, and end at once when the signal is aborted.
 */
export function searchTool(workspace: Workspace, options: SearchOptions = {}): Tool<z.infer<typeof input>> {
  const { timeoutMs = defaultTimeoutMs, isClosed = () => false } = options;
  let engine: Promise<Engine> | undefined;
  return defineTool({
    name: 'search',
    description:
      'Find the lines that match a regular expression, as `path:line: text`. Skips what .gitignore ignores, and files above 10 MB.',
    input,
    annotations: { readOnly: true, repeatable: true, parallel: true },
    execute: async ({ pattern, path, ignore_case, max_results }, context) => {
      engine ??= chosenEngine(workspace, options.ripgrep);
      const stop = new AbortController();
      const timer = setTimeout(() => stop.abort(), timeoutMs);
      const signal = context.signal === undefined ? stop.signal : AbortSignal.any([context.signal, stop.signal]);
      const found: Found = { lines: [], matches: 0, notSearched: 0, closed: 0 };
      let search: EngineSearch | undefined;
      let isOver = false;
      try {
        search = await (await engine)(workspace, { pattern, ignoreCase: ignore_case, signal });
        for await (const paths of filesBelow(workspace, path, { found, signal, isClosed })) {
          await collect(workspace, await search.matchingLines(paths), {
            paths,
            found,
            maxResults: max_results,
            signal,
          });
          if (found.matches >= maxCounted) break;
        }
      } catch (error) {
        if (context.signal?.aborted === true || !stop.signal.aborted) throw error;
        isOver = true;
      } finally {
        clearTimeout(timer);
        await search?.close();
      }
      const { lines, matches } = found;
      const left = matches - lines.length;
      const notes = [
        ...(left > 0
          ? [`[${left}${matches >= maxCounted ? ' or' : ''} more matches; narrow the pattern or the path]`]
          : []),
        ...(isOver ? [`[stopped after ${timeoutMs / 1_000} seconds; search a smaller folder]`] : []),
        ...(found.notSearched > 0 ? [`[${found.notSearched} files were not searched: their names are not UTF-8]`] : []),
        ...(found.closed > 0 ? [`[${found.closed} files were not searched: a rule closes them]`] : []),
      ];
      if (lines.length === 0) notes.unshift(`Nothing matches /${pattern}/ in '${path}'.`);
      return { content: [...lines, ...notes].join('\n'), details: { pattern, path, matches } };
    },
  });
}

interface Found {
  lines: string[];
  matches: number;
  notSearched: number;
  closed: number;
}

async function chosenEngine(workspace: Workspace, ripgrep: SearchOptions['ripgrep']): Promise<Engine> {
  const command = ripgrep === false ? undefined : (ripgrep ?? (await findRipgrep(workspace)));
  return command === undefined ? linearEngine : ripgrepEngine(command);
}

async function* filesBelow(
  workspace: Workspace,
  requested: string,
  {
    found,
    signal,
    isClosed,
  }: { readonly found: Found; readonly signal: AbortSignal; readonly isClosed: (path: string) => boolean },
): AsyncGenerator<readonly string[]> {
  const { real, isFolder } = await fileOrFolderAt(workspace, requested);
  if (real === undefined) throw new UnusableFileError(requested, `There is no file or folder '${requested}'.`);
  if (!isFolder) {
    const path = workspace.show(real);
    if (isClosed(path)) throw new UnusableFileError(path, `'${path}' is not searched: a rule closes it.`);
    // Whatever cannot be read says why, here.
    await withFile(workspace, path, async ({ status }) => {
      if (status.size <= maxSearchedBytes) return;
      const way = 'Search it with run_command and grep.';
      throw new UnusableFileError(path, `'${path}' has ${status.size} bytes; ${maxSearchedBytes} are searched. ${way}`);
    });
    yield [path];
    return;
  }
  let paths: string[] = [];
  let characters = 0;
  for await (const { kind, path } of walk(workspace, real, { signal })) {
    if (kind !== 'file') continue;
    if (path === undefined) found.notSearched += 1;
    else if (isClosed(path)) found.closed += 1;
    else {
      paths.push(path);
      characters += path.length;
    }
    if (paths.length < filesAtOnce && characters < nameCharactersAtOnce) continue;
    yield paths;
    [paths, characters] = [[], 0];
  }
  yield paths;
}

/** Reads the lines that an engine has found. A file that is not text, or was changed since, has none. */
async function collect(
  workspace: Workspace,
  matching: ReadonlyMap<string, readonly number[]>,
  {
    paths,
    found,
    maxResults,
    signal,
  }: {
    readonly paths: readonly string[];
    readonly found: Found;
    readonly maxResults: number;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  for (const path of paths) {
    signal.throwIfAborted();
    const numbers = matching.get(path);
    if (numbers === undefined) continue;
    const lines = await textLines(workspace, path).catch(() => []);
    for (const number of numbers) {
      const line = lines[number - 1];
      if (line === undefined) continue;
      found.matches += 1;
      if (found.lines.length >= maxResults) continue;
      const text = line.endsWith('\r') ? line.slice(0, -1) : line;
      found.lines.push(`${shownName(path)}:${number}: ${sliceText(text, 0, maxLineCharacters)}`);
    }
  }
}

async function textLines(workspace: Workspace, path: string): Promise<readonly string[]> {
  const bytes = await withFile(workspace, path, (file) => wholeContent(file, path, maxSearchedBytes));
  const encoding = utf16Of(bytes);
  if (encoding === undefined && bytes.includes(0)) return [];
  return linesOf(new TextDecoder(encoding ?? 'utf-8').decode(bytes));
}
