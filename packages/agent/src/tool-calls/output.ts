import { isToolResult, sliceText, toolResultContent } from '@palimpsest/events';
import type { ActionEvent, CreateEvent, CustomEvent, Event, EventId } from '@palimpsest/events';
import { assertCount, assertPositive } from '../errors.js';

/**
 * The limit of what the model is shown of a tool's output. The part is chosen once, when the output comes, and is stored in the
 * observation: nothing is rewritten later. The whole text goes to the `store`, or else into the log; `readOutputTool` reads both.
 */
export interface OutputLimit {
  /** The store of whole texts of long outputs. @defaultValue none: the log keeps them, as {@link WholeOutputEvent} */
  readonly store?: OutputStore;
  /**
   * The maximum length of an output that is shown whole. `Infinity`: only the window limits it. Unit: characters.
   * @defaultValue 30000
   */
  readonly maxCharacters?: number;
  /** The length that is shown of a longer output. Unit: characters. @defaultValue `maxCharacters` */
  readonly previewCharacters?: number;
  /**
   * The share of the model's window that one output may take. The outputs of one response together may take three times as much.
   * An unknown window counts as 32,000 tokens. Unit: share, above 0 and at most 1. @defaultValue 0.1
   */
  readonly windowShare?: number;
}

/** The lengths that are shown of each output of one response. Unit: characters. */
export interface ShownCharacters {
  /** The maximum length of a text that is shown whole. */
  readonly most: number;
  /** The length that is shown of a longer text. */
  readonly preview: number;
}

const defaultMaxCharacters = 30_000;
const defaultWindowShare = 0.1;
/** The window of servers that do not declare one. Unit: tokens. */
const assumedWindow = 32_000;
/** The same figure as in the view's estimate. */
const charactersPerToken = 4;
/** The outputs of one response may together be as long as so many single ones. */
const outputsInOne = 3;
/** Each output may have so many, also when the outputs of very many calls exceed the limit together. Unit: characters. */
const leastShown = 400;

/**
 * Computes how much of each output is shown.
 *
 * @param contextWindow - the model's window less its answer; undefined if not known. Unit: tokens.
 * @param calls - the number of calls in the response
 */
export function shownCharacters(
  { maxCharacters = defaultMaxCharacters, previewCharacters = Infinity, windowShare = defaultWindowShare }: OutputLimit,
  contextWindow: number | undefined,
  calls: number,
): ShownCharacters {
  const inWindow = Math.floor((contextWindow ?? assumedWindow) * charactersPerToken * windowShare);
  const one = Math.min(maxCharacters, inWindow);
  const most = Math.min(one, Math.max(leastShown, Math.floor((one * outputsInOne) / Math.max(1, calls))));
  return { most, preview: Math.min(previewCharacters, most) };
}

/** @throws RangeError when a number is out of range. */
export function assertOutputLimit({ maxCharacters, previewCharacters, windowShare }: OutputLimit = {}): void {
  if (maxCharacters !== Infinity) assertCount('output.maxCharacters', maxCharacters, 0);
  assertCount('output.previewCharacters', previewCharacters, 0);
  assertPositive('output.windowShare', windowShare);
  if ((windowShare ?? 0) > 1) throw new RangeError(`output.windowShare must be at most 1, not ${windowShare}.`);
}

/** A store of the whole text of long tool outputs. `@palimpsest/agent/node` has an implementation with files. */
export interface OutputStore {
  /** Stores a text for good, and resolves to its handle. */
  put(output: { readonly actionId: EventId; readonly toolName: string; readonly text: string }): Promise<string>;
  /** Resolves to the whole text, or to undefined for an unknown handle. A handle is data that anybody may have written. */
  get(handle: string): Promise<string | undefined>;
  /**
   * Resolves to a part of a text, or to undefined for an unknown handle, without the memory of the whole.
   * @defaultValue the part is cut from what `get` resolves to
   */
  part?(handle: string, range: { readonly offset: number; readonly length: number }): Promise<OutputPart | undefined>;
}

/** A part of a stored text. Unit of all numbers: UTF-16 code units. */
export interface OutputPart {
  /** Begins and ends with whole characters, so it can be longer than asked for by one. Empty behind the end. */
  readonly text: string;
  /** The place at which it begins: at `offset`, or one before it. */
  readonly start: number;
  /** The length of the whole text. */
  readonly total: number;
}

export interface Excerpt {
  readonly head: string;
  readonly tail: string;
  /** The number of characters between the two. */
  readonly left: number;
}

/**
 * Returns the beginning and the end of a text: two thirds and one third of so many characters. Commands report their outcome at the
 * end. No character is cut in two, and neither end keeps the whole text in memory.
 */
export function excerptOf(text: string, characters: number): Excerpt {
  const head = owned(sliceText(text, 0, Math.ceil((characters * 2) / 3)));
  const tail = owned(sliceText(text, text.length - Math.floor(characters / 3)));
  return { head, tail, left: text.length - head.length - tail.length };
}

/** Copies a slice, because the engine keeps the whole string in memory for it. */
function owned(slice: string): string {
  return JSON.parse(JSON.stringify(slice)) as string;
}

const wholeOutputType = 'agent/tool-output';

/**
 * The whole text of an output that the model is shown in part. It stands before the observation, whose `details.outputHandle`
 * is this event's id. It is never sent to a model.
 */
export interface WholeOutputEvent extends CustomEvent {
  readonly type: 'agent/tool-output';
  readonly actionId: EventId;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly text: string;
}

export function wholeOutput({ id, toolCall }: ActionEvent, text: string, createEvent: CreateEvent): WholeOutputEvent {
  const fields = { actionId: id, toolCallId: toolCall.id, toolName: toolCall.name, text };
  return createEvent(wholeOutputType, { source: 'environment', ...fields }) as WholeOutputEvent;
}

/**
 * Returns the text that the id of an event stands for, as it was logged: a whole output, a result, or the arguments of a call.
 * Undefined for any other event, so that instructions and messages cannot be read by id.
 */
export function textOfEvent(event: Event | undefined): string | undefined {
  if (event === undefined) return undefined;
  if (event.type === wholeOutputType) return typeof event['text'] === 'string' ? event['text'] : undefined;
  if (event.type === 'action') return event.toolCall.arguments;
  if (!isToolResult(event)) return undefined;
  return toolResultContent(event)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');
}
