import type { AgentOptions } from '@palimpsest/agent';
import type { Tool } from '@palimpsest/events';
import { linkedNames, permissionPolicy, permissions } from '@palimpsest/tools/permissions';
import type { Workspace } from '@palimpsest/tools';
import { patternsInside } from './own-folders.js';
import type { Settings } from './settings/settings.js';

/** What is run or obeyed later, outside of the sandbox: hooks of git, and our own configuration. A rule for all files does not mean these. */
const guarded = ['**/.git', '**/.git/**', '**/.palimpsest/**'];

/** What {@link runPermissions} decides by. */
export interface RunPermissionsOptions {
  readonly rules: Settings['permissions'];
  readonly tools: readonly Tool[];
  readonly workspace: Workspace;
  /** Folders of ours that may lie in the workspace. @defaultValue none */
  readonly folders?: readonly string[];
  /** What becomes of a call that needs a yes. */
  readonly onAsk: 'deny' | 'wait';
  /** No call needs a yes. */
  readonly yolo: boolean;
}

/** Which calls of a run need a yes, and what the user should know of it. */
export interface RunPermissions {
  readonly agent: Pick<AgentOptions, 'confirmation' | 'hooks' | 'askOfModel'>;
  readonly notes: readonly string[];
  /** Whether a rule keeps `read_file` from a path, so that `search` must not read it either. */
  isClosed(path: string): boolean;
}

/**
 * The permissions of a run: by rule, by a yes, or not at all.
 *
 * @throws {@link PermissionRuleError} when a rule cannot be read.
 */
export function runPermissions(options: RunPermissionsOptions): RunPermissions {
  const { rules, tools, workspace, folders = [], onAsk, yolo } = options;
  const { root } = workspace;
  const asked = [...guarded, ...patternsInside(root, folders)].flatMap((path) => [
    `edit_file(${path})`,
    `write_file(${path})`,
  ]);
  const permitted = permissions({
    // What the user has denied stays denied.
    ...(yolo ? { allow: ['*'], deny: rules.deny } : { ...rules, ask: [...rules.ask, ...asked] }),
    toolNames: tools.map(({ name }) => name),
    root,
    otherNames: linkedNames(root),
  });
  const policy = permissionPolicy({ permissions: permitted, tools, onAsk });
  const hasReadRules = [...rules.deny, ...(yolo ? [] : rules.ask)].some((rule) => /^\s*read_file\b/.test(rule));
  // Somebody reads them before they say yes.
  const isRead = onAsk === 'wait' && !yolo;
  return {
    agent: { ...policy, ...(isRead ? { askOfModel: { risk: true, summary: true } } : {}) },
    notes: yolo ? [yoloNote(rules.deny)] : onAsk === 'deny' && rules.allow.length === 0 ? [deniedNote] : [],
    isClosed: (path) =>
      hasReadRules &&
      ['deny', 'ask'].includes(permitted.decide({ toolName: 'read_file', input: { path } }).outcome ?? 'allow'),
  };
}

function yoloNote(deny: readonly string[]): string {
  const except = deny.length === 0 ? '' : ` Only your rules that deny still hold: ${deny.join(', ')}.`;
  return `--yolo: whatever the model calls runs without a question, commands and writes too.${except}`;
}

const deniedNote =
  'Nobody is asked in this run: commands and writes are denied. Rules ([permissions] allow), --on-ask wait or --yolo change that.';
