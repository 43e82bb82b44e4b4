import { isToolResult, toolResultContent } from '@palimpsest/events';
import type {
  ActionEvent,
  Condensation,
  CreateEvent,
  LLMConvertibleEvent,
  Redaction,
  ToolResultEvent,
} from '@palimpsest/events';
import {
  condensation,
  newestStep,
  NoCondensationAvailableError,
  protectedEventIds,
  redactedCopy,
  withoutProperties,
} from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { lastResortSummary } from '../notes.prompt.js';
import { readOutputToolName } from '../tool-calls/built-in-tools.js';
import { excerptOf } from '../tool-calls/output.js';

export interface LastResortOptions {
  /**
   * The part of the model's window that is left for the view. Undefined if the window is not known. Unit: tokens, as the view
   * estimates.
   */
  readonly room: number | undefined;
  /** True if this is the last attempt: then everything is forgotten that may be, and long texts are masked down to stubs. */
  readonly isLast: boolean;
  /** True if the model has a tool that reads masked text. */
  readonly canRead: boolean;
  /** Size of an event. Unit: tokens. @defaultValue as the view estimates */
  readonly sizeOf?: (event: LLMConvertibleEvent) => number;
  readonly createEvent: CreateEvent;
}

const origin = { condenser: 'agent', reason: 'hard-reset' } as const;

/** The size of the summary and its frame. Unit: tokens. */
const summaryTokens = 50;
/** The share of the room, or of what was sent, that is kept. With more, the next steps would overflow again. */
const targetShare = 0.5;
/** A room that any window has. Unit: tokens. */
const assumedRoom = 2_000;
/** The share of the target above which a result or call is giant. */
const giantShare = 0.1;
/** A smaller event is not masked. Unit: tokens. */
const leastGiant = 250;
/** A smaller event is not masked in the last attempt. Unit: tokens. */
const leastMasked = 100;
/** The length that stays of a masked text, before the newest step and in it. Unit: characters. */
const excerpts = { old: 400, newest: 2_000 } as const;

/** An event of the view, as it would be sent. */
interface Item {
  readonly event: LLMConvertibleEvent;
  readonly isKept: boolean;
  size: number;
  redaction?: Redaction;
}

/**
 * Makes room when the condenser has not: masks giant events, then forgets the oldest units, until half of the room is free.
 * The newest step is not forgotten; its giant events are masked with a longer excerpt. Undefined when nothing makes the view
 * smaller. With `isLast` the runs of the host's properties are cut too.
 */
export function lastResort(given: View, options: LastResortOptions): Condensation | undefined {
  const { isLast, createEvent, sizeOf = (event) => view.tokensOf(event) } = options;
  const view = isLast ? withoutProperties(given) : given;
  const kept = protectedEventIds(view);
  const items = [...view.events].map((event): Item => {
    const size = view.leftOut.has(event.id) ? 0 : sizeOf(event);
    return { event, size, isKept: kept.has(event.id) };
  });
  const tokensBefore = view.tokens();
  const total = sum(items);
  const { room = Math.max(assumedRoom, isLast ? total / 4 : total) } = options;
  const target = isLast ? 0 : Math.min(room, total) * targetShare;
  const newest = newestStep(view).start;
  const mask = (item: Item, excerpt: number): void => {
    if (item.isKept || item.size === 0) return;
    const redaction = maskOf(item.event, { excerpt, canRead: options.canRead });
    const copy = redaction && redactedCopy(item.event, redaction);
    const size = copy && sizeOf(copy);
    if (redaction !== undefined && size !== undefined && size < item.size) Object.assign(item, { redaction, size });
  };

  const giant = isLast ? leastMasked : Math.max(leastGiant, target * giantShare);
  for (const item of items.slice(0, newest)) if (item.size > giant) mask(item, isLast ? 0 : excerpts.old);
  // In the newest step the largest events are masked first, and no more than necessary.
  const step = items.slice(newest);
  const bySize = step.toSorted((one, other) => other.size - one.size);
  for (const item of bySize) {
    if (sum(step) <= target * targetShare || item.size <= leastMasked) break;
    mask(item, isLast ? 0 : Math.min(excerpts.newest, Math.floor(target / step.length)));
  }
  const { end, left } = forgotten(view, items, { target, newest, room });
  // A summary can be larger than a few small events before it. A provider may count differently.
  const forgetsEvents = items
    .slice(0, end)
    .some(({ event, isKept }) => !isKept && event.type !== 'condensation-summary');
  if (left >= total && !(isLast && forgetsEvents)) return undefined;

  const redactions = items.flatMap(({ redaction }) => (redaction === undefined ? [] : [redaction]));
  const metadata = { ...origin, tokensBefore, masked: redactions.length };
  try {
    return condensation({ view, start: 0, end, redactions, summary: lastResortSummary, metadata, createEvent });
  } catch (error) {
    if (!NoCondensationAvailableError.isInstance(error)) throw error;
    return undefined;
  }
}

/** Reports whether {@link lastResort} made a condensation. */
export function isLastResort({ metadata }: Condensation): boolean {
  return metadata?.['condenser'] === origin.condenser && metadata['reason'] === origin.reason;
}

/**
 * Returns the end of the forgotten range, and the size of what is left: the first cut point at which the rest fits into the target,
 * at the latest the newest step. If the rest would not fit into the room even then, because the newest step holds long messages,
 * the range ends behind the last of them.
 */
function forgotten(
  view: View,
  items: readonly Item[],
  { target, newest, room }: { readonly target: number; readonly newest: number; readonly room: number },
): { readonly end: number; readonly left: number } {
  const { length } = items;
  const latest = view.cutPoints.atOrBefore(newest) ?? 0;
  let left = sum(items);
  let end = 0;
  const forgetTo = (cut: number): void => {
    if (end === 0) left += summaryTokens;
    for (; end < cut; end++) left -= items[end]?.isKept === true ? 0 : (items[end]?.size ?? 0);
  };
  const cutAfter = (index: number): number => view.cutPoints.atOrAfter(index + 1) ?? Infinity;
  while (left > target && cutAfter(end) <= latest) forgetTo(cutAfter(end));
  while (left > room && cutAfter(end) <= length) {
    const giant = items.findLastIndex(({ size, isKept }, at) => at >= end && !isKept && size > room / 4);
    forgetTo(Math.min(cutAfter(Math.max(giant, end)), length));
  }
  return { end, left };
}

function sum(items: readonly Item[]): number {
  return items.reduce((total, { size }) => total + size, 0);
}

export interface MaskOptions {
  /** The length of the beginning and the end that stay. Unit: characters. */
  readonly excerpt: number;
  /** True if the model has a tool that reads the whole text. */
  readonly canRead: boolean;
}

/** Shorter texts in arguments stay: paths, names, short commands. Unit: characters. */
const shortArgument = 200;

/** Masks a result or the arguments of a call. Undefined for any other event: messages can be forgotten, but not masked. */
function maskOf(event: LLMConvertibleEvent, options: MaskOptions): Redaction | undefined {
  if (event.type === 'action') return { eventId: event.id, arguments: maskedArguments(event, options) };
  return isToolResult(event) ? { eventId: event.id, text: maskedResult(event, options) } : undefined;
}

function maskedResult(event: ToolResultEvent, options: MaskOptions): string {
  let text = '';
  let images = 0;
  for (const part of toolResultContent(event)) {
    if (part.type === 'text') text += (text === '' ? '' : '\n') + part.text;
    else images++;
  }
  const lost = images === 0 ? '' : ` and ${images} ${images === 1 ? 'image' : 'images'}`;
  // The text of an event that is already redacted is a stub, and no part of the output.
  const excerpt = event.redacted === true ? 0 : options.excerpt;
  return shortened(text, { ...options, excerpt, lost, handle: handleOf(event) });
}

/** Returns the handle of the whole text. An output that was shown in part has its own handle. */
function handleOf(event: ToolResultEvent): string {
  const handle = event.type === 'observation' ? event.details?.['outputHandle'] : undefined;
  return typeof handle === 'string' ? handle : event.id;
}

/** Writes JSON of an object, because some providers accept nothing else: the same keys with shorter texts, or one note. */
function maskedArguments({ id, toolCall: { arguments: text }, redacted }: ActionEvent, options: MaskOptions): string {
  const excerpt = redacted === true ? 0 : options.excerpt;
  const shorten = (long: string): string => shortened(long, { ...options, excerpt, lost: '', handle: id });
  const most = Math.max(4 * shortArgument, 2 * excerpt);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const short = JSON.stringify(value, (_, item: unknown) =>
        typeof item === 'string' && item.length > shortArgument ? shorten(item) : item,
      );
      if (short.length <= most) return short;
    }
  } catch {
    // The arguments are not JSON, or nested too deep.
  }
  return JSON.stringify({ removed: shorten(text) });
}

function shortened(
  text: string,
  {
    excerpt,
    canRead,
    lost,
    handle,
  }: MaskOptions & {
    readonly lost: string;
    readonly handle: string;
  },
): string {
  const { head, tail, left } = excerptOf(text, excerpt);
  const how = canRead ? ` ${readOutputToolName} with the handle '${handle}' reads them.` : '';
  const note = `[${left} characters${lost} were removed here, because the history did not fit into the window.${how}]`;
  return [head, note, tail].filter((part) => part !== '').join('\n');
}
