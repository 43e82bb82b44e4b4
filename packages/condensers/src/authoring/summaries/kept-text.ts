import { isUserMessage, messageContent } from '@palimpsest/events';
import type { EventId } from '@palimpsest/events';
import { keptEventIds } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { cutInMiddle, textLimits } from '../model/event-text.js';
import type { RangeFact } from './range.js';

/** A room for text. Unit: tokens, as `sizeOf` counts. */
export interface TextRoom {
  readonly maxTokens: number;
  readonly sizeOf: (text: string) => number;
}

/** Stands before the user's words in a summary. */
export const wordsHeading = 'What the user said in them, word for word (oldest first):';
/** Stands before facts that a model's summary does not name. */
export const factsHeading = 'Read from the log by rule, and not named above:';

/** The share of its room that the next try of a text gets. */
const nextTry = 0.95;
/** More than the headings and marks of a section. Unit: characters. */
const longestMarkup = 200;
/** The markup around one of the user's messages. Unit: characters. */
const frame = '- \n'.length;

/** The user's messages as a summary shows them. */
export interface KeptWords {
  /** With a heading; empty if there are none, or none fits. */
  readonly section: string;
  /** The messages that are shown, cut where they are too long. */
  readonly shown: readonly string[];
}

/**
 * Returns the user's messages, word for word. If they do not all fit, long ones are cut in the middle, older ones shorter; if even that is
 * not enough, the oldest are left out, and a line says how many.
 */
export function keptWords(words: readonly string[], room: TextRoom): KeptWords {
  const none: KeptWords = { section: '', shown: [] };
  if (words.length === 0) return none;
  return fitted(room, words.join('\n'), none, (characters) => {
    const lengths = words.map(({ length }) => length + frame);
    const { leftOut, limits } = textLimits(lengths, {
      room: characters - wordsHeading.length - 1,
      longest: Math.max(...lengths),
    });
    if (leftOut === words.length) return none;
    const shown = words.slice(leftOut).map((text, index) => cutInMiddle(text, (limits[leftOut + index] ?? 0) - frame));
    const note = leftOut === 0 ? [] : [`- (${leftOut} older left out)`];
    return { section: [wordsHeading, ...note, ...shown.map((text) => `- ${text}`)].join('\n'), shown };
  });
}

/** Returns as many facts as fit, the most important first. */
export function keptFacts(facts: readonly RangeFact[], room: TextRoom): readonly RangeFact[] {
  let count = facts.length;
  while (count > 0 && room.sizeOf(factSection(facts.slice(0, count))) > room.maxTokens) {
    count = Math.min(count - 1, Math.floor(count * nextTry));
  }
  return facts.slice(0, count);
}

/** Returns facts under their heading; empty if there are none. */
export function factSection(facts: readonly RangeFact[]): string {
  return facts.length === 0 ? '' : [factsHeading, ...facts.map(({ text }) => `- ${text}`)].join('\n');
}

/** Returns a text that fits, cut in the middle if it must be. */
export function cutToFit(text: string, room: TextRoom): string {
  if (room.sizeOf(text) <= room.maxTokens) return text;
  return fitted(room, text, { section: '' }, (characters) => ({ section: cutInMiddle(text, characters) })).section;
}

function fitted<Text extends { readonly section: string }>(
  { maxTokens, sizeOf }: TextRoom,
  whole: string,
  none: Text,
  write: (characters: number) => Text,
): Text {
  // As many characters a token as in the whole; never fewer than one.
  let characters = Math.ceil((maxTokens * (whole.length + longestMarkup)) / Math.max(1, sizeOf(whole)));
  for (; characters >= 1; characters = Math.floor(characters * nextTry)) {
    const text = write(characters);
    if (text.section === '' || sizeOf(text.section) <= maxTokens) return text;
  }
  return none;
}

/** Returns the user's messages that stay beside a summary, in order, without those that the summary includes anyway. Images are named. */
export function keptUserWords(view: View, isInIt: (id: EventId) => boolean = () => false): readonly string[] {
  const words: { readonly index: number; readonly text: string }[] = [];
  for (const id of keptEventIds(view)) {
    const index = view.indexOf(id);
    const event = index === undefined ? undefined : view.events.at(index);
    if (index === undefined || event === undefined || !isUserMessage(event) || isInIt(id)) continue;
    const parts = messageContent(event).map((part) => (part.type === 'text' ? part.text : '[image]'));
    words.push({ index, text: parts.join('\n') });
  }
  return words.sort((a, b) => a.index - b.index).map(({ text }) => text);
}
