import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { program } from './pack.js';
import { workspaceRoot } from '../workspace.js';

/**
 * TypeScript 7, which checks in a tenth of the time of 6. Its command in `bin` is a script that starts this program: Node would start
 * for each compilation.
 */
const { default: compiler } = (await import(
  pathToFileURL(path.join(workspaceRoot, 'node_modules/@typescript/native-preview/lib/getExePath.js')).href
)) as { readonly default: () => string };

/** A compilation ends soon: to collect its garbage seldom spares a fifth of its time. */
const environment = { ...process.env, GOGC: '400' };

/** The content of a `tsconfig.json`. */
export interface Compilation {
  readonly compilerOptions: Readonly<Record<string, unknown>>;
  readonly files?: readonly string[];
  readonly include?: readonly string[];
}

/** The options of the strictest user. Nothing is written. */
export const strictUser = {
  module: 'nodenext',
  moduleResolution: 'nodenext',
  target: 'es2022',
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
};

/**
 * Compiles in a folder, as one who runs the compiler there.
 *
 * @returns the problems, a line each, with the file from that folder: `index.ts(1,2): error TS2322: …`
 * @throws Error if the compiler fails and names no problem
 */
export async function typeProblems(folder: string, compilation: Compilation): Promise<readonly string[]> {
  const file = path.join(folder, 'tsconfig.check.json');
  await writeFile(file, JSON.stringify(compilation));
  try {
    const args = ['-p', file, '--singleThreaded', '--pretty', 'false'];
    await program(compiler(), args, { cwd: folder, env: environment });
    return [];
  } catch (error) {
    const problems = String(error)
      .split('\n')
      .filter((line) => /\berror TS\d+: /.test(line));
    if (problems.length === 0) throw error;
    return problems;
  }
}
