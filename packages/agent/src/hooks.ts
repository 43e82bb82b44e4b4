import type { ActionEvent, Condensation, ToolResultEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** A veto with its reason, or a note, or undefined for neither. */
export type Verdict = { readonly veto: string } | { readonly note: string } | undefined;

/** A note, or nothing. */
export type Remark = { readonly note: string } | undefined;

type Answer<T> = T | Promise<T>;

/**
 * Functions of the application that are called at points of a run. A hook that throws, or returns something that is not a
 * verdict, vetoes the call in `beforeToolUse`. Any other hook ends the run with its error, after the events before it were
 * stored. A hook that does not resolve delays the run until the run is interrupted.
 */
export interface Hooks {
  /**
   * With a veto the condensation is not appended. An attempt records the veto, and an empty condensation answers a request. The
   * hook is also called for the agent's own last resort. If that is vetoed, the run ends with a `ContextOverflowError`.
   */
  readonly beforeCondensation?: (condensation: Condensation, view: View) => Answer<Verdict>;
  /** The model reads the note after the condensation. Use it to repeat what must not be forgotten. */
  readonly afterCondensation?: (condensation: Condensation) => Answer<Remark>;
  /**
   * With a veto the tool does not run, and the call is answered with a `user-reject-observation`. A note is added to the
   * call's result. `isConfirmed`: the user has confirmed this action.
   */
  readonly beforeToolUse?: (
    action: ActionEvent,
    input: unknown,
    call: { readonly isConfirmed: boolean },
  ) => Answer<Verdict>;
  /** A note is added to the result. */
  readonly afterToolUse?: (action: ActionEvent, result: ToolResultEvent) => Answer<Remark>;
  /** With a veto the run goes on, and the model reads the reason. */
  readonly beforeStop?: (answer: string) => Answer<Verdict>;
}

export function noteOf(verdict: Verdict): string | undefined {
  return verdict !== undefined && 'note' in verdict ? verdict.note : undefined;
}

/** Returns the reason of a veto, also when the veto gives none. */
export function vetoOf(verdict: Verdict): string | undefined {
  return verdict !== undefined && 'veto' in verdict ? verdict.veto || noReason : undefined;
}

const noReason = 'No reason was given.';
