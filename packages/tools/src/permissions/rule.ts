import { PalimpsestError } from '@palimpsest/events';
import { commandPattern } from './command-pattern.js';
import type { CommandPattern } from './command-pattern.js';

/** A permission rule cannot be read. */
export class PermissionRuleError extends PalimpsestError {
  static override get typeName(): string {
    return 'PermissionRuleError';
  }

  /** The rule as it was written. */
  readonly rule: string;

  constructor(rule: string, problem: string) {
    super('permission-rule', `The permission rule '${rule}' cannot be read: ${problem}.`);
    this.rule = rule;
  }
}

/** The input of a tool that a pattern in the brackets of a rule is compared with, by its name. */
export interface RuleSubject {
  readonly input: string;
  readonly is: 'command' | 'path';
}

/** A rule as it was written, and what it means. */
export interface PermissionRule {
  readonly text: string;
  /** Returns true if the rule is about calls of this tool. */
  readonly isAbout: (toolName: string) => boolean;
  /** A command as it is written, with all that a shell makes of it. */
  readonly exact?: string;
  readonly command?: CommandPattern;
  readonly path?: PathPattern;
}

const form = /^\s*([A-Za-z0-9_*-]+)\s*(?:\(([\s\S]*)\))?\s*$/;

/**
 * Reads a rule: `*`, `tool`, `tool(pattern)`, or for a command `tool(= text)`, which means this text and no other. `*` in a name stands
 * for any part of it: `mcp__server__*`.
 *
 * @throws {@link PermissionRuleError}
 */
export function permissionRule(
  text: string,
  options: {
    /** True if the rule allows: then it covers what it says exactly, and a wildcard may not stand for a program. */
    readonly allows: boolean;
    readonly subjects: ReadonlyMap<string, RuleSubject>;
    /** A name in which `*` stands for any part is one of a tool that may not be there now. @defaultValue any name */
    readonly toolNames?: ReadonlySet<string> | undefined;
  },
): PermissionRule {
  const read = form.exec(text);
  const [, name = '', pattern] = read ?? [];
  if (read === null) throw new PermissionRuleError(text, "it is neither '*' nor 'tool' nor 'tool(pattern)'");
  if (name === '*') {
    if (pattern !== undefined) throw new PermissionRuleError(text, "'*' has no pattern");
    return { text, isAbout: () => true };
  }
  if (options.toolNames !== undefined && ![...options.toolNames].some((known) => meets(name, known))) {
    const known = [...options.toolNames].join(', ');
    throw new PermissionRuleError(text, `there is no tool '${name}'; the tools are ${known}`);
  }
  const isAbout = nameTest(name);
  if (pattern === undefined) return { text, isAbout };
  const subject = options.subjects.get(name);
  if (subject === undefined) throw new PermissionRuleError(text, `'${name}' has no pattern; write '${name}'`);
  if (pattern.trim() === '')
    throw new PermissionRuleError(text, `the pattern is empty; for every call write '${name}'`);
  if (subject.is === 'command' && pattern.trimStart().startsWith('=')) {
    const exact = exactText(pattern.trimStart().slice(1));
    if (exact === '') throw new PermissionRuleError(text, "behind '=' stands no command");
    return { text, isAbout, exact };
  }
  try {
    return subject.is === 'command'
      ? { text, isAbout, command: commandPattern(pattern, options) }
      : { text, isAbout, path: pathPattern(pattern.trim()) };
  } catch (error) {
    throw new PermissionRuleError(text, (error as Error).message);
  }
}

/** Returns a command as exact rules compare it. */
export function exactText(command: string): string {
  return command.trim();
}

/** Returns the pattern of a name, in which `*` stands for any part. */
function nameTest(name: string): (toolName: string) => boolean {
  if (!name.includes('*')) return (toolName) => toolName === name;
  const pattern = new RegExp(`^${name.replaceAll(/\*+/g, '[A-Za-z0-9_-]*')}$`);
  return (toolName) => pattern.test(toolName);
}

/** Returns true if a rule's name can be about a known one, which may hold `*` too. */
function meets(name: string, known: string): boolean {
  if (!known.includes('*')) return nameTest(name)(known);
  const [begin, knownBegin] = [name, known].map((one) => one.split('*', 1)[0] ?? '') as [string, string];
  return name.includes('*') ? begin.startsWith(knownBegin) || knownBegin.startsWith(begin) : nameTest(known)(name);
}

/** The part of a rule that is about a path. */
export interface PathPattern {
  /** Returns true if the rule covers a path of the workspace, exactly: for rules that allow. */
  covers(path: string): boolean;
  /** The same, whatever the case, in any notation of the same letters: for rules that ask or deny. */
  touches(path: string): boolean;
}

/**
 * Returns a pattern of paths relative to the workspace. `*` is any part of one name, `?` one sign of it, `**` any number of
 * folders. Other signs are themselves, brackets and braces too.
 *
 * @throws TypeError with the reason why the pattern is none
 */
function pathPattern(pattern: string): PathPattern {
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
 * Returns a path relative to the root of the workspace, without `.` and `..`; the root is `.`. Undefined when it leads out of
 * the workspace, or is no path. Links are not looked at.
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
