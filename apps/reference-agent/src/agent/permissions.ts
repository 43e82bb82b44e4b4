import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { AgentOptions } from '@palimpsest/agent';
import type { Tool } from '@palimpsest/events';
import { linkedNames, permissionPolicy, permissions, proposedRule } from '@palimpsest/tools/permissions';
import type { ToolUse, PermissionOptions, Permissions } from '@palimpsest/tools/permissions';
import type { Workspace } from '@palimpsest/tools';
import type { Settings } from '../settings/settings.js';

/** Files that are run or obeyed later, outside of the sandbox: hooks of git, and our own configuration. A rule for all files does not mean these. */
const guarded = ['**/.git', '**/.git/**', '**/.palimpsest/**'];

/** Options of {@link runPermissions}. */
export interface RunPermissionsOptions {
  readonly rules: Settings['permissions'];
  readonly tools: readonly Tool[];
  readonly workspace: Workspace;
  /** Folders of ours that may lie in the workspace. @defaultValue none */
  readonly folders?: readonly string[];
  /** The fate of a call that needs a yes. */
  readonly onAsk: 'deny' | 'wait';
  /** No call needs a yes. */
  readonly yolo: boolean;
  /** Rules that answers of earlier sessions have made. Those that cannot be read, or name a tool that there is not, do not count. @defaultValue none */
  readonly keptRules?: readonly string[] | undefined;
  /** Rules that answers make: read at each call, so that a new one counts at once. The same list until one is added. @defaultValue none */
  readonly answers?: (() => readonly string[]) | undefined;
}

/** The permissions of a run: which calls need a yes, and remarks for the user. */
export interface RunPermissions {
  readonly agent: Pick<AgentOptions, 'confirmation' | 'hooks' | 'askOfModel'>;
  readonly notes: readonly string[];
  /** Returns the reason for which a call is asked about, or not, in one sentence. */
  reason(call: ToolUse): string;
  /** Returns a rule that would allow a call, to propose to the user. Undefined if none would. */
  propose(call: ToolUse): string | undefined;
  /** Checks a rule that allows. @throws {@link PermissionRuleError} when it cannot be read. */
  check(rule: string): void;
  /** Returns true if a rule keeps `read_file` from a path, so that `search` must not read it either. */
  isClosed(path: string): boolean;
}

/**
 * Returns the permissions of a run: by rule, by a yes, or not at all.
 *
 * @throws {@link PermissionRuleError} when a rule cannot be read.
 */
export function runPermissions(options: RunPermissionsOptions): RunPermissions {
  const { rules, tools, workspace, folders = [], onAsk, yolo, keptRules = [], answers = () => keptRules } = options;
  const { root } = workspace;
  const asked = [...guarded, ...patternsInside(root, folders)].flatMap((path) => [
    `edit_file(${path})`,
    `write_file(${path})`,
  ]);
  // A server may be away, and its rules stay.
  const toolNames = [...tools.map(({ name }) => name), 'mcp__*'];
  const fixed: PermissionOptions = {
    // What the user has denied stays denied.
    ...(yolo ? { allow: ['*'], deny: rules.deny } : { ...rules, ask: [...rules.ask, ...asked] }),
    toolNames,
    root,
    otherNames: linkedNames(root),
  };
  const check = (rule: string): void => void permissions({ allow: [rule], toolNames });
  const current = whenChanged(answers, (made) => {
    const known = [...new Set([...keptRules, ...made])].filter((rule) => isReadable(rule, check));
    const inForce = { ...fixed, allow: [...(fixed.allow ?? []), ...known] };
    return { inForce, permitted: permissions(inForce) };
  });
  // Wrong rules are told now.
  current();
  const permitted: Permissions = {
    get allow() {
      return current().permitted.allow;
    },
    decide: (call) => current().permitted.decide(call),
  };
  const policy = permissionPolicy({ permissions: permitted, tools, onAsk });
  const hasReadRules = [...rules.deny, ...(yolo ? [] : rules.ask)].some((rule) => /^\s*read_file\b/.test(rule));
  // Somebody reads them before they say yes.
  const isRead = onAsk === 'wait' && !yolo;
  return {
    agent: { ...policy, ...(isRead ? { askOfModel: { risk: true, summary: true } } : {}) },
    notes: yolo ? [yoloNote(rules.deny)] : onAsk === 'deny' && permitted.allow.length === 0 ? [deniedNote] : [],
    reason: (call) => permitted.decide(call).reason,
    propose: (call) => proposedRule(call, current().inForce),
    check,
    isClosed: (path) =>
      hasReadRules &&
      ['deny', 'ask'].includes(permitted.decide({ toolName: 'read_file', input: { path } }).outcome ?? 'allow'),
  };
}

/** Computes from what is read, anew only if that is another list. */
function whenChanged<Result>(
  read: () => readonly string[],
  compute: (list: readonly string[]) => Result,
): () => Result {
  let last: { readonly list: readonly string[]; readonly result: Result } | undefined;
  return () => {
    const list = read();
    if (last?.list !== list) last = { list, result: compute(list) };
    return last.result;
  };
}

function isReadable(rule: string, check: (rule: string) => void): boolean {
  try {
    check(rule);
    return true;
  } catch {
    return false;
  }
}

function yoloNote(deny: readonly string[]): string {
  const except = deny.length === 0 ? '' : ` Only your rules that deny still hold: ${deny.join(', ')}.`;
  return `--yolo: whatever the model calls runs without a question, commands and writes too.${except}`;
}

const deniedNote =
  'Nobody is asked in this run: commands and writes are denied. Rules ([permissions] allow), --on-ask wait or --yolo change that.';

/** Returns patterns of the paths of a workspace that are, or lie in, one of these folders. */
function patternsInside(root: string, folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => {
    const path = relative(root, realPath(folder)).split(sep);
    // The workspace itself lies in it.
    if (path.every((name) => name === '' || name === '..')) return ['**'];
    return path[0] === '..' ? [] : [path.join('/'), `${path.join('/')}/**`];
  });
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
