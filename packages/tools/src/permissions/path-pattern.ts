/** What a rule says of a path. */
export interface PathPattern {
  /** Whether the rule covers a path of the workspace, exactly: for rules that allow. */
  covers(path: string): boolean;
  /** The same, whatever the case, in any notation of the same letters: for rules that ask or deny. */
  touches(path: string): boolean;
}

/**
 * A pattern of paths relative to the workspace. `*`: any part of one name; `?`: one sign of it; `**`: any number of folders.
 * Other signs are themselves, brackets and braces too.
 *
 * @throws TypeError with the reason why the pattern is none
 */
export function pathPattern(pattern: string): PathPattern {
  const inside = pathInside(pattern);
  if (inside === undefined || pattern.includes('\\')) {
    throw new TypeError('the pattern is not a path inside the workspace, relative to its root, with forward slashes');
  }
  const names = inside.split('/');
  if (names.some((name) => name.includes('**') && name !== '**')) {
    throw new TypeError("'**' stands for whole folders; write it between slashes");
  }
  const folded = names.map(fold);
  return {
    covers: (path) => !path.includes('\\') && matchesNames(names, path.split('/')),
    touches: (path) => matchesNames(folded, path.replaceAll('\\', '/').split('/').map(fold)),
  };
}

/**
 * A path relative to the root of the workspace, without `.` and `..`; the root is `.`. Undefined when it leads out of the
 * workspace, or is no path. Links are not looked at.
 */
export function pathInside(path: string, root?: string): string | undefined {
  if (path.includes('\0')) return undefined;
  let relative = path;
  if (path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path)) {
    const base = root?.replace(/\/+$/, '');
    if (base === undefined || (path !== base && !path.startsWith(`${base}/`))) return undefined;
    relative = path.slice(base.length);
  }
  const names: string[] = [];
  for (const name of relative.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names.join('/') || '.';
}

/** As file systems compare names that do not tell cases or compositions of letters apart. Some ignore what ends a name. */
function fold(name: string): string {
  return (
    name
      .normalize('NFC')
      .toLowerCase()
      .replace(/(?::.*|[. ]+)$/, '') || name
  );
}

function matchesNames(pattern: readonly string[], path: readonly string[]): boolean {
  // The states in which the pattern can be after each name: linear in the path, whatever the pattern.
  let states = closed(new Set([0]), pattern);
  for (const name of path) {
    const next = new Set<number>();
    for (const state of states) {
      const part = pattern[state];
      if (part === undefined) continue;
      if (part === '**') next.add(state);
      else if (matchesName(part, name)) next.add(state + 1);
    }
    states = closed(next, pattern);
  }
  return states.has(pattern.length);
}

/** `**` may stand for no folder. */
function closed(states: Set<number>, pattern: readonly string[]): Set<number> {
  for (const state of states) if (pattern[state] === '**') states.add(state + 1);
  return states;
}

function matchesName(pattern: string, name: string): boolean {
  let [at, from] = [0, 0];
  let [star, starFrom] = [-1, 0];
  while (from < name.length) {
    if (pattern[at] === '*') {
      star = at++;
      starFrom = from;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[from])) {
      at++;
      from++;
    } else if (star >= 0) {
      at = star + 1;
      from = ++starFrom;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
