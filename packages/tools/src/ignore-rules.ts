import type { Ignore } from 'ignore';

/** Generated and installed files, which the rules of a workspace may take back in. */
const ownRules = ['.git', 'node_modules', 'dist', 'coverage', '.palimpsest-*.tmp'];

/** Rules beyond this are not read. Unit: characters. */
const maxCharacters = 100_000;
/** A rule is turned into a regular expression, whose time grows with a power of its wildcards. */
const maxWildcards = 4;

/** The rules of one `.gitignore`, for paths below its folder. */
export interface IgnoreRules {
  /** The rules of the folder above, which are asked where these say nothing. */
  readonly above: IgnoreRules | undefined;
  /** The folder, relative to the root of the workspace; empty for the root. */
  readonly folder: string;
  readonly rules: Ignore;
}

/** The rules that apply without any `.gitignore`. */
export async function rootRules(): Promise<IgnoreRules> {
  return { above: undefined, folder: '', rules: await newRules(ownRules) };
}

/**
 * The rules with those of a `.gitignore` added, which win over the ones above. A rule with more than four wildcards is left out:
 * a repository could stop the program with it.
 */
export async function withRules(above: IgnoreRules, folder: string, text: string): Promise<IgnoreRules> {
  const lines = text.slice(0, maxCharacters).split(/\r?\n/);
  const usable = lines.filter((line) => (line.match(/\*+|\?/g)?.length ?? 0) <= maxWildcards);
  return { above, folder, rules: await newRules(usable) };
}

/** Loads the library at its first use: an agent starts before it lists a folder. */
async function newRules(lines: readonly string[]): Promise<Ignore> {
  const { default: ignore } = await import('ignore');
  return ignore({ ignoreCase: false, allowRelativePaths: true }).add([...lines]);
}

/** Whether a path is ignored. The folders above it are not: nobody asks below an ignored folder. */
export function isIgnored(rules: IgnoreRules, relativePath: string, isFolder: boolean): boolean {
  for (let each: IgnoreRules | undefined = rules; each !== undefined; each = each.above) {
    const path = each.folder === '' ? relativePath : relativePath.slice(each.folder.length + 1);
    const { ignored, unignored } = each.rules.test(isFolder ? `${path}/` : path);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}
