import type { CreateEvent, Event } from '@palimpsest/events';
import { isLLMConvertible } from '@palimpsest/events';
import type { CountedUsage } from '@palimpsest/llm-adapters';
import { wordsOf } from './final-answer.js';
import { newIdFrom } from '../new-id.js';
import { note } from '../notes.js';
import { costOf } from './paid.js';
import type { AnswerPiece } from './streamed-answer.js';
import type { Toolset } from '../tools/tool-call.js';

/** What the usage of an answer is for that never became complete. */
const brokenPurpose = 'broken-response';

/** What is known of the request that a piece answers. */
export interface AskedModel {
  readonly model: string;
  readonly tools: Toolset;
  readonly estimatedInputTokens: number;
  readonly createEvent: CreateEvent;
}

/** The events for what came of an answer before the connection broke. No model reads them. */
export function brokenResponse(
  piece: AnswerPiece,
  reason: string,
  counted: CountedUsage | undefined,
  { model, createEvent }: AskedModel,
): readonly Event[] {
  const broken = createEvent('broken-response', { ...piece, reason });
  if (counted === undefined) return [broken];
  const paid = { usage: counted.usage, ...costOf(counted) };
  return [broken, createEvent('llm-usage', { responseId: broken.id, model, ...paid, purpose: brokenPurpose })];
}

/** True for the events of {@link brokenResponse}, which stand in the log while the next try is under way. */
export function isOfBrokenResponse(event: Event): boolean {
  return event.type === 'broken-response' || (event.type === 'llm-usage' && event.purpose === brokenPurpose);
}

/** The events for what was shown of an answer when the user interrupted it: the model reads that it was cut off. */
export function cutOffAnswer(
  { content, ...begun }: AnswerPiece,
  reason: string,
  counted: CountedUsage | undefined,
  { model, tools, estimatedInputTokens, createEvent }: AskedModel,
): readonly Event[] {
  const llmResponseId = newIdFrom(createEvent);
  const message = createEvent('message', {
    source: 'agent',
    role: 'assistant',
    content,
    llmResponseId,
    cutOff: { reason, ...begun },
  });
  const calls = (begun.toolCalls ?? []).map(({ name }) => (name !== undefined && tools.has(name) ? name : undefined));
  const events = [message, note(cutOffNote(wordsOf(content) !== '', calls), createEvent)];
  if (counted === undefined) return events;
  const paid = { usage: counted.usage, ...costOf(counted) };
  const usage = { responseId: llmResponseId, model, ...paid, estimatedInputTokens, purpose: 'agent' };
  return [createEvent('llm-usage', usage), ...events];
}

/** The note behind a cut-off answer, where the process ended between the two. */
export function missingCutOffNote(events: readonly Event[], createEvent: CreateEvent): readonly Event[] {
  const last = events.findLast(isLLMConvertible);
  if (last?.type !== 'message' || last.cutOff === undefined) return [];
  const calls = (last.cutOff.toolCalls ?? []).map(() => undefined);
  return [note(cutOffNote(wordsOf(last.content) !== '', calls), createEvent)];
}

/** @param calls - the tools of the calls that were begun; undefined for a tool that there is not */
function cutOffNote(hasWords: boolean, calls: readonly (string | undefined)[]): string {
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
