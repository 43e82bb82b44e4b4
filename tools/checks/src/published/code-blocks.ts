import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { apps, packages, workspaceRoot } from '../workspace.js';

/** A fenced block of a page. */
export interface CodeBlock {
  /** The page, from the root of the repository. */
  readonly page: string;
  /** The line of the fence that opens the block. */
  readonly line: number;
  /** The language after the opening fence; empty if there is none. */
  readonly language: string;
  readonly code: string;
}

/**
 * Returns every fenced block of the READMEs, of the documentation pages, of the site's own pages and of the skills. Decision pages are
 * excluded: nobody pastes their code.
 */
export function codeBlocks(): readonly CodeBlock[] {
  const directories = [workspaceRoot, ...[...packages, ...apps].map(({ directory }) => directory)];
  const pages = [...directories.flatMap(pagesIn), ...['site/pages', 'skills'].flatMap(allPagesIn)];
  return pages.flatMap(blocksOf);
}

/** Returns true if a program is for a framework that needs Node 22: the tests of `integrations/node22` run it. */
export function isForNode22({ code }: Pick<CodeBlock, 'code'>): boolean {
  return /from '(?:@openai\/agents|@mastra\/core|@strands-agents\/sdk)[/']/.test(code);
}

function pagesIn(directory: string): readonly string[] {
  const docs = path.join(directory, 'docs');
  const pages = existsSync(docs) ? readdirSync(docs).filter((name) => name.endsWith('.md')) : [];
  return [path.join(directory, 'README.md'), ...pages.sort().map((name) => path.join(docs, name))];
}

function allPagesIn(folder: string): readonly string[] {
  const directory = path.join(workspaceRoot, folder);
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => path.join(directory, name));
}

function blocksOf(file: string): readonly CodeBlock[] {
  const text = readFileSync(file, 'utf8');
  const page = path.relative(workspaceRoot, file).split(path.sep).join('/');
  return [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: language = '', 2: code = '' }) => ({
    page,
    line: text.slice(0, index).split('\n').length,
    language,
    code,
  }));
}
