import type { ContentPart, Message, ToolMessage } from '@palimpsest/events';

/** What a model knows: only the messages that it was sent. */
export interface Recollection {
  /** The step of its last turn, and whether that turn only read a file again. */
  readonly lastStep?: { readonly name: string; readonly wasReadingAgain: boolean };
  /** The answers to the calls of the last turn. */
  readonly results: readonly ToolResult[];
  /** True when the text stands anywhere in the messages, read with or without line numbers. */
  shows(text: string): boolean;
  /** The last place in any message that matches. */
  lastMatch(expression: RegExp): RegExpMatchArray | undefined;
}

/** The answer to one call, as the model reads it. */
export interface ToolResult {
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
}

/** The text at the end of a turn, by which it names its step of the plan. */
export function stepLabel(name: string, isReadingAgain: boolean): string {
  return `[${name}${isReadingAgain ? ', again' : ''}]`;
}

/** What a turn says, without the name of its step. */
export function withoutStepLabel(text: string): string {
  return text.replace(labelPattern, '').trimEnd();
}

const labelPattern = /\[([\w/-]+)(, again)?\]$/;
const lineNumbers = /^ *\d+\t/gm;

/** Reads a list of messages. */
export function recollect(messages: readonly Message[]): Recollection {
  const lastTurn = messages.findLastIndex((message) => message.role === 'assistant');
  const label = lastTurn === -1 ? null : labelPattern.exec(textOf(messages[lastTurn]?.content ?? []));
  const all = messages.map(everythingIn);
  return {
    ...(label?.[1] === undefined ? {} : { lastStep: { name: label[1], wasReadingAgain: label[2] !== undefined } }),
    results: messages.slice(lastTurn + 1).flatMap((message) => (message.role === 'tool' ? [resultOf(message)] : [])),
    shows: (text) => all.some((part) => part.includes(text)),
    lastMatch: (expression) =>
      all.flatMap((part) => [...part.matchAll(new RegExp(expression, expression.flags.replace('g', '') + 'g'))]).at(-1),
  };
}

function resultOf(message: ToolMessage): ToolResult {
  return { tool: message.toolName, text: textOf(message.content), isError: message.isError === true };
}

function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Words, results and the values of call arguments; the last, because the model also knows what it wrote into files. */
function everythingIn(message: Message): string {
  const words = textOf(message.content).replace(lineNumbers, '');
  if (message.role !== 'assistant') return words;
  return [words, ...(message.toolCalls ?? []).flatMap((call) => stringsIn(call.arguments))].join('\n');
}

function stringsIn(json: string): readonly string[] {
  try {
    return Object.values(JSON.parse(json) as object).filter((value) => typeof value === 'string');
  } catch {
    return [json];
  }
}
