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
import type { ActionEvent, ContentPart, LLMConvertibleEvent } from '@palimpsest/events';
import type { FailedAttempt } from '@palimpsest/llm-adapters';
import { cutToWidth, printableLine, widthOf } from '@palimpsest/terminal';
import type { View } from '@palimpsest/view';
import { printableWithTabs } from './lines.js';
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

/**
 * Returns the ending of a call: `denied`, `cut off`, `exit 1`, `failed`; empty if it succeeded and has no exit status.
 */
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

/** Returns a session with its folder and its model. */
export function sessionPhrase({ session, model, workspace, isResumed }: InitEvent): string {
  return `session ${session}${isResumed ? ' goes on' : ''}: ${model} in ${workspace}`;
}

/** Returns the event of a model call that failed and is tried again. */
export function retryEvent({ attempts, error, ...retry }: FailedAttempt): RetryEvent {
  return { type: 'retry', ...retry, ...(attempts === Infinity ? {} : { attempts }), error: error.message };
}

/** Returns the reason and the time of the next try of a model call. */
export function retryPhrase({ attempt, attempts, remainingMs, delayMs, error }: RetryEvent): string {
  const which = attempts === undefined ? `${attempt}` : `${attempt} of ${attempts}`;
  const until = remainingMs === undefined ? '' : `, the last within ${Math.ceil(remainingMs / 1_000)} s`;
  return `Try ${which} failed, the next in ${(delayMs / 1_000).toFixed(1)} s${until}: ${error}`;
}

/** Unit: characters. */
const longestPhrase = 120;

/** Returns the text of an event that a model reads. An image is named. */
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
  return `${addressOf(event.id)}  ${eventPhrase(event, view.callOf(event.id))}`;
}

function shortened(text: string): string {
  return text.length <= longestPhrase ? text : `${sliceText(text, 0, longestPhrase - 1)}…`;
}

/** Makes text of a model printable on its own lines. */
export function printableAnswer(text: string): string {
  return printableWithTabs(text.replaceAll('\r\n', '\n'));
}

/** Returns what a user must know of models without a price. */
export function unpricedPhrase(models: readonly string[]): string {
  return `No price is known for ${models.join(' and ')}: the cost is not known.`;
}
