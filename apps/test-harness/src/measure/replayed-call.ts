import type { Condensation, Event, Message } from '@palimpsest/events';
import type { AttemptReport, View } from '@palimpsest/view';
import type { PromptSize } from './cache.js';

/** One recorded model call, as a condenser left it. */
export interface CondensedCall {
  /** The position among the model calls of the session. The first is 0. */
  readonly index: number;
  /** When the recorded call had been answered. */
  readonly at: string;
  /** What would be sent. */
  readonly view: View;
  /** The condensations that were made before this call. */
  readonly condensations: readonly Condensation[];
  /** The reason why the condenser failed. The view was left as it was. */
  readonly errors: readonly string[];
  /** What the condenser reported of this call. */
  readonly attempts: readonly AttemptReport[];
  /** The inserted step that answers this request in place of the recorded answer. Empty: the recorded one does. */
  readonly rereads: readonly Event[];
}

/** A condensed call with the request that it becomes. */
export interface ReplayedCall extends CondensedCall {
  readonly messages: readonly Message[];
  readonly prompt: PromptSize;
  /** Time spent in our code: folding, condensing and rendering. */
  readonly milliseconds: number;
}

/** A listener to a replay that gets each call and reports its result at the end. */
export interface Meter<Result, Call = ReplayedCall> {
  /** Called once for each model call, in their order. */
  atCall(call: Call): void;
  /** Called once, after the last call. */
  result(): Result;
}
