import type { CreateEvent, Event, TextContent } from '@palimpsest/events';
import { isLLMConvertible } from '@palimpsest/events';
import { ContentPolicyError } from '@palimpsest/llm-adapters';
import type { Completion, CountedUsage } from '@palimpsest/llm-adapters';
import { textOf } from './final-answer.js';
import { newIdFrom } from '../new-id.js';
import { note } from '../notes.js';
import { costOf } from './call-cost.js';
import type { AnswerPiece } from './streamed-answer.js';
import type { Toolset } from '../tools/tool-call.js';

/** The purpose of the usage of an answer that did not become complete. */
const brokenPurpose = 'broken-response';

/** The request that an incomplete answer belongs to. */
export interface AskedModel {
  readonly model: string;
  readonly tools: Toolset;
  readonly estimatedInputTokens: number;
  readonly createEvent: CreateEvent;
}

/** The events of an answer whose connection broke. No model reads them. */
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

/** An answer that is a refusal: what came of it, and the error that it is. */
export interface Refusal {
  readonly content: readonly TextContent[];
  readonly error: ContentPolicyError;
}

/**
 * The refusal that an answer is; undefined if it is none. Providers report one as an answer that ended early, with words or without. Calls are
 * acted on all the same.
 *
 * @param provider - named in the error
 */
export function refusalIn({ finishReason, message }: Completion, provider: string): Refusal | undefined {
  if (finishReason !== 'content-filter' || (message.toolCalls?.length ?? 0) > 0) return undefined;
  const content = message.content.filter((part): part is TextContent => part.type === 'text');
  const words = textOf(content).trim();
  const told = words === '' ? 'The provider refused to answer.' : `The provider refused to answer: ${words}`;
  return { content, error: new ContentPolicyError(told, { provider }) };
}

/** Whether an event is one of {@link brokenResponse}: these are appended while the next attempt is under way. */
export function isBrokenResponse(event: Event): boolean {
  return event.type === 'broken-response' || (event.type === 'llm-usage' && event.purpose === brokenPurpose);
}

/** The events of an answer that the user interrupted after a part of it was shown. The model reads that it was cut off. */
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
  const events = [message, note(cutOffNote(textOf(content) !== '', calls), createEvent)];
  if (counted === undefined) return events;
  const paid = { usage: counted.usage, ...costOf(counted) };
  const usage = { responseId: llmResponseId, model, ...paid, estimatedInputTokens, purpose: 'agent' };
  return [createEvent('llm-usage', usage), ...events];
}

/** The note that is missing behind a cut-off answer, in logs whose writer died between the two. */
export function missingCutOffNote(events: readonly Event[], createEvent: CreateEvent): readonly Event[] {
  const last = events.findLast(isLLMConvertible);
  if (last?.type !== 'message' || last.cutOff === undefined) return [];
  const calls = (last.cutOff.toolCalls ?? []).map(() => undefined);
  return [note(cutOffNote(textOf(last.content) !== '', calls), createEvent)];
}

/** @param calls - the names of the tools of the begun calls; undefined for an unknown tool */
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
