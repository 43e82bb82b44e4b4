import type { Event } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import type { SecretMask } from './secrets/secret-mask.js';

/** What a step is given besides the state. */
export interface StepOptions {
  /** Called with each event as soon as it exists, in the order of the log. The step goes on when it resolves. */
  readonly onEvent: (event: Event) => void | Promise<void>;
  /**
   * Aborts the model call and the running tool. Calls that were not begun are answered as interrupted. What `onDelta` was handed
   * of an answer stands in the log as a message with `cutOff`.
   */
  readonly signal?: AbortSignal;
  /**
   * Called with each piece of the model's answer as it arrives. Condensers' own model calls are not among them. After a
   * `restart` what was handed out since the last complete answer is void, whether the model is asked again or the step fails.
   */
  readonly onDelta?: (delta: Delta) => void;
  /** Hides values in tools' descriptions and in what tools answer; events are masked by `onEvent`. @defaultValue nothing is hidden */
  readonly secrets?: SecretMask;
}
