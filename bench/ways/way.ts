import { readFileSync } from 'node:fs';

/** One way to keep a loop's history small, or none. */
export interface Way {
  /** The framework or SDK of the loop. */
  readonly loop: string;
  readonly name: string;
  readonly api: 'openai' | 'anthropic';
  /** The file that holds the way, and its marked regions there. No regions: nothing is added to the loop. */
  readonly source: { readonly file: string; readonly region?: string };
  /** Runs the loop to its end. */
  readonly run: (url: string, fetch: typeof globalThis.fetch) => Promise<unknown>;
}

/**
 * Returns the lines that a way adds to a loop: those between `// #region NAME` and `// #endregion` in its own source, without
 * blank ones and comments.
 */
export function glueLines({ source: { file, region } }: Way): number {
  if (region === undefined) return 0;
  let isInside = false;
  let count = 0;
  for (const line of readFileSync(file, 'utf8')
    .split('\n')
    .map((text) => text.trim())) {
    if (line.startsWith('// #')) isInside = line === `// #region ${region}`;
    else if (isInside && line !== '' && !/^(?:\/\/|\/?\*)/.test(line)) count++;
  }
  if (count === 0) throw new Error(`${file} has no region '${region}'.`);
  return count;
}
