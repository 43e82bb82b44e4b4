import type { Delta } from '@palimpsest/llm-adapters';
import type { Condenser, PendingCondensation } from '@palimpsest/view';
import type { SecretMask } from '../secrets/mask.js';
import type { EventSink } from '../event-sink.js';

/** What a step is given besides the state. */
export type StepOptions = EventSink & {
  /**
   * Aborts the model call and the running tool. Calls that have not begun are answered as interrupted. What `onDelta` was handed
   * of an answer is emitted as a message with `cutOff`.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with each piece of the model's answer as it arrives, but not with the answers to condensers. After a `restart`, the
   * pieces since the last complete answer are void: the model is asked again, or the step fails.
   */
  readonly onDelta?: ((delta: Delta) => void) | undefined;
  /** Hides values in the descriptions of tools and in their output. The host masks events itself. @defaultValue nothing is hidden */
  readonly secrets?: SecretMask | undefined;
  /** The condenser that answers an open condensation request in the place of the agent's. @defaultValue the agent's condenser */
  readonly requestedCondenser?: (() => Condenser | undefined) | undefined;
  /**
   * Told of a condensation that the condenser goes on with in the background. The next step takes it; a host that takes no further
   * step calls `Agent.condense` when it is ready. @defaultValue one that no later step takes is lost
   */
  readonly onPending?: ((pending: PendingCondensation) => void) | undefined;
};
