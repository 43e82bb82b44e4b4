import { runsUnreadableProgram, textsOf } from './command-pattern.js';
import { pathInside, exactText, permissionRule } from './rule.js';
import type { PermissionRule, RuleSubject } from './rule.js';
import { simpleCommands } from './command.js';

/**
 * Rules such as `run_command(npm test)`, `run_command(git diff *)`, `edit_file(src/**)`, `read_file`, `mcp__server__*`, `*`. A command behind `=` is
 * compared as it is written, and may hold anything that a shell reads: `run_command(= make > log.txt)`.
 */
export interface PermissionRules {
  /** Calls that run without a question. @defaultValue none */
  readonly allow?: readonly string[];
  /** Calls that are asked about, even if a rule allows them. @defaultValue none */
  readonly ask?: readonly string[];
  /** Calls that never run. @defaultValue none */
  readonly deny?: readonly string[];
}

/** Options of {@link permissions}. */
export interface PermissionOptions extends PermissionRules {
  /**
   * The tools that rules may name. `mcp__*` stands for any tool whose name begins so, for tools that are not always there.
   * @defaultValue any name is taken, misspelt ones too
   */
  readonly toolNames?: Iterable<string>;
  /** The root of the workspace, for absolute paths in calls. @defaultValue absolute paths meet no rule with a pattern */
  readonly root?: string;
  /**
   * Other names of a path, such as where a link leads to. A rule allows a call only if rules allow each of its names.
   * @defaultValue none: links are not looked at
   */
  readonly otherNames?: (path: string) => readonly string[];
  /**
   * The input that the pattern of a rule is compared with, for tools of your own.
   * @defaultValue `command` of run_command; `path` of read_file, edit_file and write_file
   */
  readonly subjects?: Readonly<Record<string, RuleSubject>>;
}

/** The verdict of the rules on a call. */
export interface PermissionDecision {
  /** Undefined if no rule speaks of the call. */
  readonly outcome: 'allow' | 'ask' | 'deny' | undefined;
  /** The rules that decided, as they were written. Several rules allow the parts of one command. */
  readonly rules: readonly string[];
  /** The reason, in one sentence that names the rules. */
  readonly reason: string;
}

/** A call of a tool, with its parsed input. */
export interface ToolUse {
  readonly toolName: string;
  readonly input: unknown;
}

/** Permission rules. */
export interface Permissions {
  readonly allow: readonly string[];
  /** Applies the rules to a call. Never throws. */
  decide(call: ToolUse): PermissionDecision;
}

const ownSubjects: Readonly<Record<string, RuleSubject>> = {
  run_command: { input: 'command', is: 'command' },
  read_file: { input: 'path', is: 'path' },
  edit_file: { input: 'path', is: 'path' },
  write_file: { input: 'path', is: 'path' },
};

/**
 * Reads permission rules. A rule that denies wins over one that asks, and that over one that allows.
 *
 * A rule that allows means what it says, and nothing else: a command is split into its parts only where that is certain, each
 * part must be allowed, and what is not understood is not allowed by a pattern. A final `*` stands for any number of words
 * that are no options, `**` for any words. Rules that deny or ask are read widely: they also find their words in other cases
 * of letters of a path, behind programs that run others, and with words in between.
 *
 * Rules are about the words of a call. They do not know what a program does: that is what a sandbox is for.
 *
 * @throws {@link PermissionRuleError} when a rule cannot be read
 */
export function permissions(options: PermissionOptions): Permissions {
  const subjects = new Map(Object.entries({ ...ownSubjects, ...options.subjects }));
  const toolNames = options.toolNames === undefined ? undefined : new Set(options.toolNames);
  const read = (rules: readonly string[] | undefined, allows: boolean) =>
    (rules ?? []).map((rule) => permissionRule(rule, { allows, subjects, toolNames }));
  const [deny, ask, allow] = [read(options.deny, false), read(options.ask, false), read(options.allow, true)];
  const decide = (call: ToolUse): PermissionDecision => {
    const about = [deny, ask, allow].map((rules) => rules.filter(({ isAbout }) => isAbout(call.toolName)));
    const [denying = [], asking = [], allowing = []] = about;
    const judged = judge(subjectOf(call, options));
    const denied = denying.find(judged.touches);
    if (denied !== undefined) return decision('deny', [denied]);
    const asked = asking.find(judged.touches);
    if (asked !== undefined) return decision('ask', [asked]);
    const unclear = judged.unclear;
    const narrower = [...denying, ...asking].filter((rule) => rule.command !== undefined || rule.path !== undefined);
    if (unclear !== undefined && narrower.length > 0) {
      return { outcome: 'ask', rules: textsOfRules(narrower), reason: `${unclear}, so that no rule can judge it.` };
    }
    const allowed = judged.allowedBy(allowing);
    if (allowed !== undefined) return decision('allow', allowed);
    const reason = `${unclear === undefined ? 'No rule allows it' : `${unclear}, so that no pattern allows it`}.`;
    return { outcome: undefined, rules: [], reason };
  };
  return { allow: allow.map(({ text }) => text), decide };
}

type Subject =
  | {
      readonly is: 'command';
      readonly text: string | undefined;
      readonly commands: readonly (readonly string[])[] | undefined;
    }
  | { readonly is: 'path'; readonly names: readonly string[] | undefined }
  | { readonly is: 'none' };

/** A call, as rules are compared with it. */
interface Judged {
  readonly touches: (rule: PermissionRule) => boolean;
  /** The rules that allow the call, all of it; undefined if they do not. */
  readonly allowedBy: (rules: readonly PermissionRule[]) => readonly PermissionRule[] | undefined;
  /** The reason why the call cannot be compared with a pattern. */
  readonly unclear?: string;
}

function judge(subject: Subject): Judged {
  const isWhole = (rule: PermissionRule): boolean =>
    rule.exact === undefined
      ? rule.command === undefined && rule.path === undefined
      : subject.is === 'command' && rule.exact === subject.text;
  const parts = subject.is === 'command' ? subject.commands : subject.is === 'path' ? subject.names : undefined;
  const coveredBy = (rules: readonly PermissionRule[], part: string | readonly string[]) =>
    rules.find((rule) => (typeof part === 'string' ? rule.path?.covers(part) : rule.command?.covers(part)));
  const touched = (rule: PermissionRule, part: string | readonly string[]): boolean =>
    (typeof part === 'string' ? rule.path?.touches(part) : rule.command?.touches(part)) === true;
  return {
    touches: (rule) => isWhole(rule) || (parts ?? []).some((part) => touched(rule, part)),
    allowedBy: (rules) => {
      const whole = rules.find(isWhole);
      if (whole !== undefined) return [whole];
      const found = parts?.map((part) => coveredBy(rules, part));
      if (found === undefined || found.length === 0) return undefined;
      return found.every((rule) => rule !== undefined) ? [...new Set(found)] : undefined;
    },
    ...unclearPart(subject),
  };
}

function unclearPart(subject: Subject): { readonly unclear?: string } {
  if (subject.is === 'none') return {};
  if (subject.is === 'path') {
    return subject.names === undefined ? { unclear: 'The path does not lead into the workspace' } : {};
  }
  if (subject.commands === undefined) {
    return { unclear: 'The command is not made of simple words (it expands, redirects or nests something)' };
  }
  return subject.commands.some(runsUnreadableProgram) ? { unclear: 'The command runs a program text' } : {};
}

/** Returns the input of a call that the pattern of a rule is compared with. Undefined if a rule for the tool has no pattern. */
export function subjectInputOf(
  { toolName, input }: ToolUse,
  { subjects }: Pick<PermissionOptions, 'subjects'>,
): { readonly is: RuleSubject['is']; readonly value: unknown } | undefined {
  const all = { ...ownSubjects, ...subjects };
  const subject = Object.hasOwn(all, toolName) ? all[toolName] : undefined;
  if (subject === undefined) return undefined;
  const value: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, subject.input) : undefined;
  return { is: subject.is, value };
}

function subjectOf(call: ToolUse, { root, otherNames, subjects }: PermissionOptions): Subject {
  const subject = subjectInputOf(call, { subjects });
  if (subject === undefined) return { is: 'none' };
  const { value } = subject;
  if (subject.is === 'command') {
    const commands = typeof value === 'string' ? simpleCommands(value) : undefined;
    return {
      is: 'command',
      text: typeof value === 'string' ? exactText(value) : undefined,
      commands: commands?.map(textsOf),
    };
  }
  if (typeof value !== 'string') return { is: 'path', names: undefined };
  try {
    const names = [value, ...(otherNames?.(value) ?? [])].map((name) => pathInside(name, root));
    return { is: 'path', names: names.every((name) => name !== undefined) ? [...new Set(names)] : undefined };
  } catch {
    return { is: 'path', names: undefined };
  }
}

function decision(outcome: 'allow' | 'ask' | 'deny', by: readonly PermissionRule[]): PermissionDecision {
  const rules = textsOfRules(by);
  const names = rules.map((rule) => `'${rule}'`).join(', ');
  const [one, more] = verbs[outcome];
  return {
    outcome,
    rules,
    reason: rules.length === 1 ? `The rule ${names} ${one} it.` : `The rules ${names} ${more} it.`,
  };
}

const verbs = { allow: ['allows', 'allow'], ask: ['asks about', 'ask about'], deny: ['denies', 'deny'] } as const;

function textsOfRules(rules: readonly PermissionRule[]): readonly string[] {
  return rules.map(({ text }) => text);
}
