import type { ActionEvent, Condensation } from '@palimpsest/events';
import type { FinishReason } from '@palimpsest/llm-adapters';

/**
 * What a step did.
 *
 * - `tool-calls`: it carried out calls; `answer` is there when the finish tool was among them, and the run is over.
 * - `message`: the model answered in words, and the run is over. The words of incomplete answers right before it are part of `answer`.
 *   `finishReason` is there if the model did not end the answer itself.
 * - `no-answer`: the model gave nothing to act on, and it was told so.
 * - `incomplete`: the answer was cut, by its limit or its provider, and holds no call that could be run. The model was told so, except of
 *   `paused`. The next step continues the answer. A loop of your own bounds how often.
 * - `condensation`: the condenser returned one; the model was not called.
 * - `condensation-request`: the model call overflowed, and a condensation was asked for.
 * - `awaiting-confirmation`: some actions wait for a person's yes; none of their response was carried out.
 * - `refused`: the provider refused the content and the model was told so; a second refusal in a row is an error.
 */
export type StepOutcome =
  | { readonly type: 'tool-calls'; readonly answer?: string }
  | { readonly type: 'message'; readonly answer: string; readonly finishReason?: FinishReason }
  | { readonly type: 'no-answer' }
  | { readonly type: 'incomplete'; readonly finishReason: FinishReason }
  | { readonly type: 'condensation'; readonly condensation: Condensation }
  | { readonly type: 'condensation-request' }
  | { readonly type: 'awaiting-confirmation'; readonly actions: readonly ActionEvent[] }
  | { readonly type: 'refused' };
