import type { ActionEvent } from '@palimpsest/events';
import { previewChange } from '@palimpsest/tools';
import { fileDiff } from '@palimpsest/tools/diff';
import type { FileDiff } from '@palimpsest/tools/diff';
import type { OpenedSession } from '../open-session.js';
import { inputOf } from './call-input.js';

/** A call that waits for the user's yes. All of it but `proposedRule` and `reason` is what a model wrote. */
export interface Approval {
  /** The action in the log. */
  readonly id: string;
  readonly name: string;
  /** As the model wrote them: JSON, or what was to be JSON. */
  readonly arguments: string;
  /** Unchecked words of the model about its call. */
  readonly summary?: string | undefined;
  readonly risk?: string | undefined;
  /** Why it is asked about, in one sentence. */
  readonly reason: string;
  /** What the call would change in a file, if it is a change of one and can be made. */
  readonly diff?: FileDiff | undefined;
  /** A rule that allows this call and calls like it. The user may edit it. Undefined: no rule can allow it. */
  readonly proposedRule?: string | undefined;
}

/** What the user says to a call. */
export type ApprovalAnswer =
  | { readonly type: 'once' }
  /** Yes, and to all calls in this folder that the rule allows: until the program ends. */
  | { readonly type: 'session'; readonly rule: string }
  /** Yes, and to all calls in this folder that the rule allows, in every session. */
  | { readonly type: 'rule'; readonly rule: string }
  /** The model reads the reason. */
  | { readonly type: 'no'; readonly reason?: string | undefined };

/** Larger files are not compared before an answer. Unit: bytes. */
const maxPreviewBytes = 2_000_000;

/** What to show of a call that waits, as the workspace is now. */
export async function approvalOf(
  { id, toolCall, summary, securityRisk: risk }: ActionEvent,
  { workspace, permitted }: Pick<OpenedSession, 'workspace' | 'permitted'>,
): Promise<Approval> {
  const call = { toolName: toolCall.name, input: inputOf(toolCall) };
  const change = await previewChange(workspace, call, { maxBytes: maxPreviewBytes });
  return {
    id,
    name: toolCall.name,
    arguments: toolCall.arguments,
    summary,
    risk,
    reason: permitted.reason(call),
    diff: change === undefined ? undefined : fileDiff(change.path, change.before, change.after),
    proposedRule: permitted.propose(call),
  };
}
