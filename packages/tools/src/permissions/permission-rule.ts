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
  /** Undefined: any tool. */
  readonly toolName: string | undefined;
  /** A command as it is written, with all that a shell makes of it. */
  readonly exact?: string;
  readonly command?: CommandPattern;
  readonly path?: PathPattern;
}

const form = /^\s*(\*|[A-Za-z0-9_-]+)\s*(?:\(([\s\S]*)\))?\s*$/;

/**
 * Reads a rule: `*`, `tool`, `tool(pattern)`, or for a command `tool(= text)`, which means this text and no other.
 *
 * @throws {@link PermissionRuleError}
 */
export function permissionRule(
  text: string,
  options: {
    /** Whether the rule allows: then it covers what it says exactly, and a wildcard may not stand for a program. */
    readonly allows: boolean;
    readonly subjects: ReadonlyMap<string, RuleSubject>;
    /** @defaultValue any name */
    readonly toolNames?: ReadonlySet<string> | undefined;
  },
): PermissionRule {
  const read = form.exec(text);
  const [, name = '', pattern] = read ?? [];
  if (read === null) throw new PermissionRuleError(text, "it is neither '*' nor 'tool' nor 'tool(pattern)'");
  if (name === '*') {
    if (pattern !== undefined) throw new PermissionRuleError(text, "'*' has no pattern");
    return { text, toolName: undefined };
  }
  if (options.toolNames?.has(name) === false) {
    const known = [...options.toolNames].join(', ');
    throw new PermissionRuleError(text, `there is no tool '${name}'; the tools are ${known}`);
  }
  if (pattern === undefined) return { text, toolName: name };
  const subject = options.subjects.get(name);
  if (subject === undefined) throw new PermissionRuleError(text, `'${name}' has no pattern; write '${name}'`);
  if (pattern.trim() === '')
    throw new PermissionRuleError(text, `the pattern is empty; for every call write '${name}'`);
  if (subject.is === 'command' && pattern.trimStart().startsWith('=')) {
    const exact = exactText(pattern.trimStart().slice(1));
    if (exact === '') throw new PermissionRuleError(text, "behind '=' stands no command");
    return { text, toolName: name, exact };
  }
  try {
    return subject.is === 'command'
      ? { text, toolName: name, command: commandPattern(pattern, options) }
      : { text, toolName: name, path: pathPattern(pattern.trim()) };
  } catch (error) {
    throw new PermissionRuleError(text, (error as Error).message);
  }
}

/** A command as exact rules compare it. */
export function exactText(command: string): string {
  return command.trim();
}
