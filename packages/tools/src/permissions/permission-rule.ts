import { PalimpsestError } from '@palimpsest/events';
import { commandPattern } from './command-pattern.js';
import type { CommandPattern } from './command-pattern.js';
import { pathPattern } from './path-pattern.js';
import type { PathPattern } from './path-pattern.js';

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

/** What a pattern in the brackets of a rule is compared with: an input of the tool, by its name. */
export interface RuleSubject {
  readonly input: string;
  readonly is: 'command' | 'path';
}

/** A rule as it was written, and what it means. */
export interface PermissionRule {
  readonly text: string;
  /** Whether the rule is about calls of this tool. */
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
    /** Whether the rule allows: then it covers what it says exactly, and a wildcard may not stand for a program. */
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

/** A command as exact rules compare it. */
export function exactText(command: string): string {
  return command.trim();
}

/** A name, in which `*` stands for any part. */
function nameTest(name: string): (toolName: string) => boolean {
  if (!name.includes('*')) return (toolName) => toolName === name;
  const pattern = new RegExp(`^${name.replaceAll(/\*+/g, '[A-Za-z0-9_-]*')}$`);
  return (toolName) => pattern.test(toolName);
}

/** Whether a rule's name can be about a known one, which may hold `*` too. */
function meets(name: string, known: string): boolean {
  if (!known.includes('*')) return nameTest(name)(known);
  const [begin, knownBegin] = [name, known].map((one) => one.split('*', 1)[0] ?? '') as [string, string];
  return name.includes('*') ? begin.startsWith(knownBegin) || knownBegin.startsWith(begin) : nameTest(known)(name);
}
