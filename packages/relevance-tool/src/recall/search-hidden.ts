import { addressOf, isLLMConvertible } from '@palimpsest/events';
import type { Event, EventId } from '@palimpsest/events';
import type { Condenser } from '@palimpsest/view';
import { documentsOf, hiddenEvents, placesIn } from './hidden.js';
import type { HiddenReason } from './hidden.js';
import { linesWithWords, ranked } from './search-words.js';

/** A text of a log that its model does not see. */
export interface HiddenText {
  /** The event that holds it; of a summary, its condensation. */
  readonly event: Event;
  readonly address: string;
  readonly reason: HiddenReason;
  /** The kind and the place of the text, in one line that begins with the address. */
  readonly description: string;
  /** The lines that fit best, each with its number. */
  readonly excerpt: readonly string[];
  /** The whole text. */
  readonly text: string;
}

/** The result of a search of the hidden part of a log. */
export interface HiddenSearch {
  /** The number of hidden texts in all. */
  readonly hidden: number;
  /** Those that fit, the best first. */
  readonly found: readonly HiddenText[];
  /** The number of fitting texts that the model sees. */
  readonly seen: number;
}

/** Options of {@link searchHidden}. */
export interface HiddenSearchOptions {
  /** The condenser of the loop, which may hide more than the log records. It is asked for a preview. @defaultValue none */
  readonly condenser?: Condenser | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Searches what is hidden from the model, for a person: the same texts in the same order as the recall tool finds. Words are
 * plain text, never a pattern. An address finds its text, hidden or not searched for by words. Only reads the log.
 */
export async function searchHidden(
  log: Iterable<Event>,
  words: string,
  { condenser, signal = new AbortController().signal }: HiddenSearchOptions = {},
): Promise<HiddenSearch> {
  const events = new Map<EventId, Event>();
  for (const event of log) if (!events.has(event.id)) events.set(event.id, event);
  // Nobody has called: no response of the log is the present one.
  const context = { log: [...events.values()], event: (id: EventId) => events.get(id), signal, actionId: '' };
  const hidden = await hiddenEvents(context, condenser);
  const places = placesIn(context.log, hidden.view);
  const documents = documentsOf(context, hidden);
  const isNamed = (event: Event): boolean =>
    (isLLMConvertible(event) || event.type === 'condensation') && addressOf(event.id) === words.trim().toLowerCase();
  const named = documents.filter(({ event }) => isNamed(event));
  const fitting = named.length > 0 ? named : ranked(documents, words);
  const found = fitting.flatMap(({ event, text, reason }): readonly HiddenText[] => {
    if (reason === undefined) return [];
    const excerpt = linesWithWords(text, words);
    return [
      {
        event,
        address: addressOf(event.id),
        reason,
        description: places.describe(event, reason),
        excerpt: excerpt.length > 0 ? excerpt : text.split('\n').slice(0, 3),
        text,
      },
    ];
  });
  return {
    hidden: documents.filter(({ reason }) => reason !== undefined).length,
    found,
    seen: fitting.length - found.length,
  };
}
