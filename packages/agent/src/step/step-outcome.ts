import type { ActionEvent, Condensation } from '@palimpsest/events';

/**
 * What a step did.
 *
 * - `tool-calls`: it carried out calls; `answer` is there when the finish tool was among them, and the run is over.
 * - `message`: the model answered in words, and the run is over.
 * - `no-answer`: the model gave nothing to act on, or its words were cut off, and it was told so.
 * - `condensation`: the condenser returned one; the model was not called.
 * - `condensation-request`: the model call overflowed, and a condensation was asked for.
 * - `awaiting-confirmation`: some actions wait for a person's yes; none of their response was carried out.
 * - `refused`: the provider refused the content and the model was told so; a second refusal in a row is an error.
 */
export type StepOutcome =
  | { readonly type: 'tool-calls'; readonly answer?: string }
  | { readonly type: 'message'; readonly answer: string }
  | { readonly type: 'no-answer' }
  | { readonly type: 'condensation'; readonly condensation: Condensation }
  | { readonly type: 'condensation-request' }
  | { readonly type: 'awaiting-confirmation'; readonly actions: readonly ActionEvent[] }
  | { readonly type: 'refused' };
