import type { ActionEvent, Condensation, ToolResultEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** A veto with its reason, or a note. Undefined: nothing to say. */
export type Verdict = { readonly veto: string } | { readonly note: string } | undefined;

/** A note, or nothing. */
export type Remark = { readonly note: string } | undefined;

type Answer<T> = T | Promise<T>;

/**
 * What an application may say at certain points of a run. A hook that throws, or answers with what is no verdict, vetoes the
 * call in `beforeToolUse`; anywhere else it ends the run with its error, and what had happened before it is in the log. One
 * that does not answer holds up the run until the run is interrupted.
 */
export interface Hooks {
  /**
   * A veto: the condensation is not made, which is on record. A request is then settled by an empty condensation. The agent's
   * own last resort is asked about too; where that is vetoed, the run ends with a `ContextOverflowError`.
   */
  readonly beforeCondensation?: (condensation: Condensation, view: View) => Answer<Verdict>;
  /** Its note is what the model reads after the condensation: the place to say again what must not be forgotten. */
  readonly afterCondensation?: (condensation: Condensation) => Answer<Remark>;
  /** A veto is a `user-reject-observation`, and the tool does not run. A note stands below the call's result. */
  readonly beforeToolUse?: (action: ActionEvent, input: unknown) => Answer<Verdict>;
  /** Its note stands below the result. */
  readonly afterToolUse?: (action: ActionEvent, result: ToolResultEvent) => Answer<Remark>;
  /** A veto goes to the model, and the run goes on. */
  readonly beforeStop?: (answer: string) => Answer<Verdict>;
}

/** The note of a verdict. */
export function noteOf(verdict: Verdict): string | undefined {
  return verdict !== undefined && 'note' in verdict ? verdict.note : undefined;
}

/** The reason of a veto; a veto without one is a veto. */
export function vetoOf(verdict: Verdict): string | undefined {
  return verdict !== undefined && 'veto' in verdict ? verdict.veto || noReason : undefined;
}

const noReason = 'No reason was given.';
