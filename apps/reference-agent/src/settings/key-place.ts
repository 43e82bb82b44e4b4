/** A place in a text. Both count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/**
 * Where a TOML text states a key, or the table in which it stands if the key is written inside a value. Undefined if neither is
 * found. The text is valid TOML.
 */
export function keyPlace(toml: string, path: readonly string[]): TextPlace | undefined {
  let found: TextPlace | undefined;
  let depth = 0;
  let table: readonly string[] = [];
  let quotes: string | undefined;
  for (const [index, text] of toml.split('\n').entries()) {
    if (quotes !== undefined) {
      if (text.includes(quotes)) quotes = undefined;
      continue;
    }
    const header = /^\s*\[\[?([^\]]+)\]/.exec(text);
    const assignment = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/.exec(text);
    const stated = header?.[1] ?? assignment?.[1];
    if (stated !== undefined) {
      const key = keysOf(stated);
      if (header !== null) table = key;
      const whole = header === null ? [...table, ...key] : key;
      const common = commonLength(whole, path);
      if (common > depth && (common === path.length || common === whole.length)) {
        depth = common;
        found = { line: index + 1, column: text.indexOf(stated) + 1 };
      }
    }
    // A text over several lines can look like keys.
    const opened = /("""|''')/.exec(text)?.[1];
    if (opened !== undefined && text.split(opened).length % 2 === 0) quotes = opened;
  }
  return found;
}

function keysOf(stated: string): readonly string[] {
  return [...stated.matchAll(/[\w-]+|"([^"]*)"|'([^']*)'/g)].map(([text, double, single]) => double ?? single ?? text);
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  const different = a.findIndex((key, index) => key !== b[index]);
  return different === -1 ? a.length : different;
}
