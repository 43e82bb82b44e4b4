import type { CreateEvent, Event, MessageEvent } from '@palimpsest/events';
import { endedNaturally } from '@palimpsest/llm-adapters';
import type { Completion } from '@palimpsest/llm-adapters';

/** Makes a message of the framework to the model. */
export function note(text: string, createEvent: CreateEvent): MessageEvent {
  return createEvent('message', { source: 'environment', role: 'user', content: [{ type: 'text', text }] });
}

/** For a message that came during a model call: the log has it before the answer, and a request must not end in an answer. */
export const unreadNote = 'The user wrote while you were answering, and you have not answered that message yet.';

/** For a call that fails repeatedly, before the run counts as stuck. */
export const failingNote = 'The same call has failed several times in a row. Find out why, or try another way.';

/** Tells the model how many responses are left in the run. */
export function turnsLeftNote(left: number): string {
  return `${left} more responses are left to you in this run. Bring the work to an end within them, and say what is still to be done.`;
}

const refusalSender = 'palimpsest/refusal';

const refusalText =
  'The provider refused this request for what it holds. Go on without the part that may have caused it, or say that you cannot.';

/** Makes the message that tells the model that the provider refused the content. */
export function refusalNote(createEvent: CreateEvent): Event {
  const content = [{ type: 'text', text: refusalText }] as const;
  return createEvent('message', { source: 'environment', role: 'user', content, sender: refusalSender });
}

/** Reports whether an event is a {@link refusalNote}. */
export function isRefusalNote(event: Event): boolean {
  return event.type === 'message' && event.source === 'environment' && event.sender === refusalSender;
}

/** For an answer with which nothing can be done. */
export const emptyAnswerNote =
  'Your last response held neither words nor a tool call. Call a tool to go on, or answer in words if the work is done.';

/** Says how an answer ended before it was complete, after "it" or "the answer". */
export function endOfAnswer(
  { finishReason, usage, usageIsEstimated }: Completion,
  maxOutputTokens: number | undefined,
): string {
  if (finishReason === 'interrupted') return 'was broken off by the server';
  if (finishReason === 'paused') return 'was paused by the provider';
  if (finishReason !== 'length') return 'ended before it was complete';
  // An adapter's own limit is seen in what the provider counted.
  const limit = maxOutputTokens ?? (usageIsEstimated === true ? undefined : usage.outputTokens);
  return limit === undefined || limit <= 0 ? 'ended at its limit' : `ended at its limit of ${limit} tokens`;
}

/** Tells the model why a call that is not whole was not run. */
export function cutCallReason(completion: Completion, maxOutputTokens: number | undefined): string {
  if (endedNaturally(completion.finishReason)) {
    return 'This call is not complete, and nothing of it ran. Write the whole call again.';
  }
  const end = endOfAnswer(completion, maxOutputTokens);
  return `Your answer ${end}, before this call was complete. Nothing of this call ran. Send smaller parts, for instance a long file in several calls.`;
}

/** Tells the model to go on with an answer that was cut. @param end - from {@link endOfAnswer} */
export function incompleteAnswerNote(end: string, hasWords: boolean): string {
  return hasWords
    ? `Your last response was cut off: it ${end}. Go on exactly where it ends, and repeat nothing: the parts are read as one answer.`
    : `Your last response was cut off before its first word: it ${end}. Answer in fewer words, or take a smaller step.`;
}

/**
 * Tells the model that the user interrupted its answer.
 *
 * @param calls - the names of the tools of the begun calls; undefined for an unknown tool
 */
export function cutOffNote(hasWords: boolean, calls: readonly (string | undefined)[]): string {
  const where = hasWords
    ? 'Your last response was interrupted before it was complete, and ends where it was cut off.'
    : 'Your last response was interrupted before its first word.';
  if (calls.length === 0) return where;
  const named = [...new Set(calls.filter((name) => name !== undefined))].map((name) => `'${name}'`).join(', ');
  const of = named === '' ? '' : ` of ${named}`;
  return calls.length === 1
    ? `${where} The call${of} that it had begun was not carried out.`
    : `${where} The ${calls.length} calls${of} that it had begun were not carried out.`;
}

/** The results of calls that were not carried out, or not completely. */
export const callNotes = {
  /** For a call of a run that was interrupted before it. */
  beforeRun: 'Not run: the run was interrupted before it.',
  /** For a call that could not be run when it was made, so nobody was asked to confirm it. */
  notRunnable: 'Not run: it could not be run when you called it. Call it again.',
  /** For a call of an earlier run that may have been carried out. */
  lostResult: 'Its result was not recorded, and it was not run again. Check what it did before you repeat it.',
  /** For a call whose arguments held a secret that is not known any more. */
  lostSecret: 'Not run: the log does not keep the secret in its arguments. Call it again.',
  /** For a call behind the finish. */
  endedBefore: 'Not run: an earlier call of the same response ended the work.',
  /** For a tool that throws an error without a message. */
  noReason: 'The tool failed and did not say why.',
} as const;

/** The summary of a condensation that the agent makes itself. */
export const lastResortSummary =
  'Earlier steps of this work were dropped, because the history did not fit into the window. Look at the present state of ' +
  'things before you go on.';
