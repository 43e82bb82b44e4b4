import {
  addressOf,
  isToolResult,
  isUserMessage,
  messageContent,
  sliceText,
  summaryContent,
  systemPromptContent,
  toolResultContent,
} from '@palimpsest/events';
import type { ActionEvent, ContentPart, Event, LLMConvertibleEvent } from '@palimpsest/events';
import type { FailedAttempt } from '@palimpsest/llm-adapters';
import { cutToWidth, printableLine, widthOf } from '@palimpsest/terminal';
import type { View } from '@palimpsest/view';
import { formatCount, formatNumber, printableWithTabs } from './lines.js';
import type { InitEvent, RetryEvent, StreamEventOf } from './stream-event.js';

/** A call as the model wrote it. */
export interface WrittenCall {
  readonly name: string;
  /** JSON, or what was to be JSON. */
  readonly arguments: string;
}

/** The arguments that say most about a call, the first one that it has. */
const subjects = ['command', 'pattern', 'path', 'query', 'address', 'handle'];

/** Returns a call on one line: its tool and its subject; a command as in a shell. */
export function callPhrase({ name, arguments: json }: WrittenCall): string {
  const tool = name === 'run_command' ? '$' : printableLine(name);
  return `${tool} ${subjectOf(json)}`.trim();
}

/** Returns the calls of a response in a number of columns: all of them, or the first and the number of the others. */
export function callsPhrase(calls: readonly WrittenCall[], columns: number): string {
  const [first] = calls;
  if (first === undefined) return '';
  const all = calls.map((call, index) =>
    calls[index - 1]?.name === call.name ? subjectOf(call.arguments) : callPhrase(call),
  );
  const whole = all.filter((words) => words !== '').join(', ');
  if (calls.length === 1 || widthOf(whole) <= columns) return cutToWidth(whole, columns);
  const more = ` +${calls.length - 1}`;
  return cutToWidth(callPhrase(first), columns - more.length) + more;
}

/** Arguments that are no JSON are shown as they are. */
function subjectOf(json: string): string {
  const value = subjectIn(json);
  return typeof value === 'string' ? printableLine(sliceText(value, 0, 500)) : '';
}

function subjectIn(json: string): unknown {
  try {
    const found = JSON.parse(json) as Readonly<Record<string, unknown>> | null;
    return subjects.map((name) => found?.[name]).find((value) => typeof value === 'string');
  } catch {
    return json;
  }
}

/** Returns how a call ended: `denied`, `cut off`, `exit 1`, `failed`; empty if it succeeded and has no exit status. */
export function endingPhrase({
  status,
  exitStatus,
}: Pick<StreamEventOf<'tool-result'>, 'status' | 'exitStatus'>): string {
  if (status === 'denied') return status;
  if (status === 'interrupted') return 'cut off';
  if (exitStatus !== undefined) return `exit ${exitStatus}`;
  return status === 'failed' ? status : '';
}

/** Returns the warning of a call that an earlier run began. */
export function cutOffPhrase(call: WrittenCall): string {
  return `An earlier run was cut off in this call, and its result is not known: ${callPhrase(call)}`;
}

/** Returns which session works where, and with which model. */
export function sessionPhrase({ session, model, workspace, isResumed }: InitEvent): string {
  return `session ${session}${isResumed ? ' goes on' : ''}: ${model} in ${workspace}`;
}

/** Returns the event of a model call that failed and is tried again. */
export function retryEvent({ attempts, error, ...retry }: FailedAttempt): RetryEvent {
  return { type: 'retry', ...retry, ...(attempts === Infinity ? {} : { attempts }), error: error.message };
}

/** Returns why a model call is tried again, and when. */
export function retryPhrase({ attempt, attempts, remainingMs, delayMs, error }: RetryEvent): string {
  const which = attempts === undefined ? `${attempt}` : `${attempt} of ${attempts}`;
  const until = remainingMs === undefined ? '' : `, the last within ${Math.ceil(remainingMs / 1_000)} s`;
  return `Try ${which} failed, the next in ${(delayMs / 1_000).toFixed(1)} s${until}: ${error}`;
}

/** The names that condensers give their reasons, in words. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['rent', 'to read on would cost more than to write the rest anew'],
  ['cold', 'the prompt cache is cold, so that nothing is lost'],
  ['tokens', 'the request had become too large'],
  ['events', 'the history had become too long'],
  ['batch', 'enough old results had gathered'],
  ['nothing-to-forget', 'it had to condense, and could not'],
  ['hard-reset', 'the request did not fit, however it was condensed'],
  ['interval', 'the next one was due'],
  ['request', 'it was asked for'],
]);

/** Returns who condensed, and why. The fields are those of the metadata of a condensation. */
export function reasonPhrase({
  condenser,
  reason,
}: {
  readonly condenser?: unknown;
  readonly reason?: unknown;
}): string {
  const name = typeof condenser === 'string' ? condenser : 'condensed';
  if (typeof reason !== 'string') return printableLine(name);
  const words = reason.split(', ').map((each) => reasons.get(each) ?? each);
  return printableLine(`${name}: ${words.join(', and ')}`);
}

/** The title of the summary of a condensation. */
export const summaryTitle = 'The summary that the model reads instead';

/** The figures of a condensation. */
type Change = Pick<StreamEventOf<'condensation'>, 'tokensBefore' | 'tokensAfter' | 'forgotten' | 'masked' | 'summary'>;

/** Returns what a condensation changed: the sizes, and what became of the events. */
export function changePhrase(change: Change): string {
  const { tokensBefore: before, tokensAfter: after } = change;
  const percent = before === 0 ? 0 : Math.round((100 * (after - before)) / before);
  const sign = percent > 0 ? '+' : percent < 0 ? '−' : '±';
  return `${sizesPhrase(change)} (${sign}${Math.abs(percent)} %); ${hiddenPhrase(change)}`;
}

/** Returns what a condensation did with the events that it hid. */
export function hiddenPhrase({ forgotten, masked, summary }: Omit<Change, 'tokensBefore' | 'tokensAfter'>): string {
  const changes = [
    forgotten === 0 ? [] : `${formatCount(forgotten, 'event')} ${summary === undefined ? 'left out' : 'summarized'}`,
    masked === 0 ? [] : `${formatNumber(masked)} masked`,
  ].flat();
  return changes.join(', ') || 'nothing was forgotten';
}

/** Returns the size of a request before a condensation and after it. */
export function sizesPhrase({ tokensBefore, tokensAfter }: Pick<Change, 'tokensBefore' | 'tokensAfter'>): string {
  const [before, after] = [Math.round(tokensBefore), Math.round(tokensAfter)];
  return `${formatNumber(before)} → ${formatNumber(after)} tokens a request`;
}

/** Returns true if a condensation only answers a request: it changes nothing. */
export function isEmpty({ forgotten, masked }: Pick<Change, 'forgotten' | 'masked'>): boolean {
  return forgotten + masked === 0;
}

/** A line about a condensation that did not go as it should. */
export interface ProgressNote {
  readonly level: 'info' | 'problem';
  readonly text: string;
}

/**
 * Follows requests, attempts and condensations, and returns what is worth a line. A condensation that was asked for and came to nothing is
 * one line with the last reason. Whatever was tried on the way is in the log.
 */
export class CondensationProgress {
  #isAskedFor = false;
  /** Attempts that a condensation may still follow. */
  #attempts: StreamEventOf<'condensation-attempt'>[] = [];

  /** Returns the lines before those of the condensation itself. An empty condensation has no others. */
  follow(
    event: StreamEventOf<'condensation-request' | 'condensation-attempt' | 'condensation'>,
  ): readonly ProgressNote[] {
    switch (event.type) {
      case 'condensation-request':
        this.#isAskedFor = true;
        // The user knows what they have asked for.
        return event.reason === undefined
          ? []
          : [{ level: 'info', text: `A condensation was asked for: ${event.reason}` }];
      case 'condensation-attempt':
        // A condensation follows, an empty one at least.
        if (!this.#isAskedFor && event.outcome !== 'unavailable') return failureNotes([event]);
        this.#attempts.push(event);
        return [];
      case 'condensation': {
        const attempts = this.#attempts;
        const isAnswer = this.#isAskedFor || attempts.length > 0;
        this.#attempts = [];
        this.#isAskedFor = false;
        if (!isEmpty(event)) return failureNotes(attempts.filter(({ outcome }) => outcome !== 'unavailable'));
        // One that nobody has tried keeps an answered request answered, when a condensation is taken back.
        if (!isAnswer) return [];
        const reason = attempts.at(-1)?.reason ?? 'the condenser found nothing that it may forget or mask';
        // The error's own beginning says what the line says.
        const why = reason.replace(/^No condensation is available: /, '');
        return [{ level: 'problem', text: `Nothing was condensed: ${why}` }];
      }
    }
  }
}

const failures: ReadonlySet<string> = new Set(['failed', 'fallback', 'unsettled']);

/** Outcomes that cost something, or that a user can do something about. */
function failureNotes(attempts: readonly StreamEventOf<'condensation-attempt'>[]): readonly ProgressNote[] {
  return attempts
    .filter(({ outcome }) => failures.has(outcome) || outcome.startsWith('refused'))
    .map(({ condenser, outcome, reason }) => ({ level: 'problem', text: `${condenser}: ${outcome}: ${reason}` }));
}

/** Unit: characters. */
const longestPhrase = 120;

/** Returns what a model reads of an event, as text. An image is named. */
export function textOfEvent(event: LLMConvertibleEvent): string {
  if (isToolResult(event)) return textOf(toolResultContent(event));
  switch (event.type) {
    case 'system-prompt':
      return textOf(systemPromptContent(event));
    case 'message':
      return textOf(messageContent(event));
    case 'condensation-summary':
      return textOf(summaryContent(event));
    case 'action':
      return [textOf(event.thought), `${event.toolCall.name} ${event.toolCall.arguments}`]
        .filter((text) => text !== '')
        .join('\n');
  }
}

function textOf(parts: readonly ContentPart[]): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : part.type === 'image' ? ['[image]'] : []))
    .join('\n');
}

/** Returns the kind of an event: `result of read_file`. */
export function kindPhrase(event: LLMConvertibleEvent): string {
  if (isToolResult(event)) return `result of ${printableLine(event.toolName)}`;
  switch (event.type) {
    case 'system-prompt':
      return 'instructions and tools';
    case 'action':
      return 'call';
    case 'condensation-summary':
      return 'summary';
    case 'message':
      if (isUserMessage(event)) return 'your message';
      return event.role === 'assistant' ? 'words of the model' : 'words of the framework';
  }
}

/** Returns the kind of an event and how it begins, on one line. Of a result, with the call that it answers. */
export function eventPhrase(event: LLMConvertibleEvent, call?: ActionEvent): string {
  if (event.type === 'action') return shortened(`call: ${callPhrase(event.toolCall)}`);
  const kind = isToolResult(event) && call !== undefined ? `result of ${callPhrase(call.toolCall)}` : kindPhrase(event);
  return shortened(`${kind}: ${printableLine(sliceText(textOfEvent(event).trim(), 0, longestPhrase))}`);
}

/** Returns an event of a view with its address, for lists. */
export function addressedPhrase(event: LLMConvertibleEvent, view: View): string {
  return `${addressOf(event.id)}  ${eventPhrase(event, callOf(event, view))}`;
}

/** Returns the call that a result answers. */
export function callOf(event: Event, view: Pick<View, 'original'>): ActionEvent | undefined {
  const id = isToolResult(event) ? event.actionId : undefined;
  const call = id === undefined ? undefined : view.original(id);
  return call?.type === 'action' ? call : undefined;
}

function shortened(text: string): string {
  return text.length <= longestPhrase ? text : `${sliceText(text, 0, longestPhrase - 1)}…`;
}

/** Makes text of a model printable on its own lines. */
export function printableAnswer(text: string): string {
  return printableWithTabs(text.replaceAll('\r\n', '\n'));
}
