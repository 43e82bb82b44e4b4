import type { Completion } from '@palimpsest/llm-adapters';
import { accountOf, saysNothing, textOf } from './ask-model.js';
import { CondenserModelError } from './model-failure.js';

/**
 * The text of an answer that is words alone.
 *
 * @throws {@link CondenserModelError} when it is blank, calls a tool, is a call written as text, or says no more than that the model
 *   refuses.
 */
export function wordsOf(completion: Completion): string {
  const text = textWithoutCall(completion);
  const account = accountOf(completion);
  if (saysNothing(text)) throw new CondenserModelError('empty', 'the model said nothing', { account });
  if (isRefusal(text)) throw new CondenserModelError('refused', 'the model refused to answer', { account });
  return text;
}

/**
 * The text of an answer that calls no tool. It may be blank.
 *
 * @throws {@link CondenserModelError} when the answer calls a tool, or is a call written as text.
 */
export function textWithoutCall(completion: Completion): string {
  const account = accountOf(completion);
  const [call] = completion.message.toolCalls ?? [];
  const text = textOf(completion);
  if (call === undefined && !isWrittenCall(text)) return text;
  const called = call === undefined ? 'wrote a tool call' : `called '${call.name}'`;
  throw new CondenserModelError('invalid', `the model ${called} instead of answering`, { account });
}

/** The beginning of a call, as models write one without the means of their provider. Prose about such a tag is none. */
const callStart = new RegExp(
  [
    String.raw`<(?:\w+:)?function_calls>\s*<`,
    String.raw`<(?:\w+:)?invoke\s+name=`,
    String.raw`<tool_call>\s*[{[<]`,
    String.raw`<function=[\w.-]+>\s*(?:[{<]|$)`,
    String.raw`\[TOOL_CALLS\]\s*\S`,
  ].join('|'),
  'y',
);
const callEnd = /<\/(?:(?:\w+:)?(?:function_calls|invoke)|tool_call|function)>/g;
const fenced = /^(`{3,}|~{3,})[^\n]*\n([^]*?)\n\1[ \t]*$/gm;

/**
 * Whether a text begins or ends with a call that is written as text, also with one that is cut. A summary may quote such calls in its
 * lines and in blocks of code.
 */
export function isWrittenCall(text: string): boolean {
  const body = text.trim();
  const [block] = body.matchAll(fenced);
  if (block?.[0] === body && block[2] !== undefined) return isWrittenCall(block[2]);
  // A quotation stays as one character, so that what stands around it is still at its beginning and its end.
  const prose = body.replace(fenced, '`');
  if (beginsCall(prose, 0)) return true;
  for (const { index } of prose.matchAll(/^[ \t]*(?=[<[])/gm)) {
    const start = index + (/^[ \t]*/.exec(prose.slice(index))?.[0].length ?? 0);
    if (beginsCall(prose, start) && endsInCall(prose.slice(start))) return true;
  }
  return false;
}

function beginsCall(text: string, index: number): boolean {
  callStart.lastIndex = index;
  return callStart.test(text);
}

/** Nothing follows the call's last closing tag; a call without one is cut. */
function endsInCall(text: string): boolean {
  const last = [...text.matchAll(callEnd)].at(-1);
  return last === undefined || text.slice(last.index + last[0].length).trim() === '';
}

/** A summary is longer. Unit: characters. */
const longestRefusal = 300;
const refusal =
  /^(?:(?:I['’]m|I am) (?:very |really )?sorry|sorry|I apologi[sz]e|unfortunately)?[,.;:]?\s*(?:but\s+)?I\s*(?:can['’]?t|cannot|can not|won['’]t|will not|(?:['’]m|am) (?:not able|unable) to)\s+(?:help|assist|comply|fulfil|summari[sz]e|do (?:that|this)|continue with (?:that|this)|provide|answer)\b/i;

function isRefusal(text: string): boolean {
  return text.length <= longestRefusal && refusal.test(text);
}
