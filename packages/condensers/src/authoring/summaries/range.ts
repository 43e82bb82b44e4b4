import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { forgettableEventIds } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { EventRange } from '../rolling/selection.js';

/** The content that forgetting a range removes. */
export interface RangeContent {
  /** The forgotten events in order, summaries included. Protected events stay and are not in this list. */
  readonly forgotten: readonly LLMConvertibleEvent[];
  /** The forgotten events without the summaries. */
  readonly events: readonly LLMConvertibleEvent[];
  /** The texts of the forgotten summaries, concatenated; undefined if there is none. */
  readonly previousSummary: string | undefined;
  /** Unit: tokens, as the view estimates. */
  readonly tokens: number;
  /** The index of the first forgotten event: the view counts the tokens of a summary at this position. */
  readonly place: number;
}

/**
 * Returns the content that forgetting a range between two cut points removes. Undefined if it is empty or a single summary: rewriting one
 * summary is no progress.
 */
export function rangeContent(view: View, { start, end }: EventRange): RangeContent | undefined {
  const { forgotten, tokens, place } = goingIn(view, { start, end });
  const summaries = forgotten.filter((event) => event.type === 'condensation-summary');
  const events =
    summaries.length === 0 ? forgotten : forgotten.filter((event) => event.type !== 'condensation-summary');
  if (forgotten.length === 0 || (events.length === 0 && summaries.length < 2)) return undefined;
  return {
    forgotten,
    events,
    previousSummary: summaries.length === 0 ? undefined : summaries.map(({ summary }) => summary).join('\n\n'),
    tokens,
    place,
  };
}

function goingIn(view: View, { start, end }: EventRange): Pick<RangeContent, 'forgotten' | 'tokens' | 'place'> {
  const goes = forgettableEventIds(view, { start, end });
  const all = view.events.slice(start, end);
  // Mostly nothing in a range is kept, and thousands of events go.
  if (areIdsOf(goes, all)) return { forgotten: all, tokens: view.tokens(start, end), place: start };
  let tokens = 0;
  let place: number | undefined;
  const forgotten = all.filter(({ id }, offset) => {
    if (!goes.has(id)) return false;
    place ??= start + offset;
    tokens += view.tokens(start + offset, start + offset + 1);
    return true;
  });
  return { forgotten, tokens, place: place ?? start };
}

function areIdsOf(ids: ReadonlySet<EventId>, events: readonly LLMConvertibleEvent[]): boolean {
  if (ids.size !== events.length) return false;
  let index = 0;
  for (const id of ids) if (events[index++]?.id !== id) return false;
  return true;
}

/** A fact that a summary must name. */
export interface RangeFact {
  /** The fact in one line. */
  readonly text: string;
  /** A summary that holds these words, whatever the blanks, names the fact. */
  readonly name: string;
}

/** The known facts of the events that a summary replaces, those before earlier summaries included. */
export interface RangeFacts {
  /** The user's words in them, word for word, the oldest first. */
  readonly userWords: readonly string[];
  /** The facts, the most important first. */
  readonly facts: readonly RangeFact[];
}

/**
 * A function that reads facts from the log, such as {@link factsOfRange} of `@palimpsest/condensers`. It changes
 * nothing but what it remembers.
 */
export interface ReadRangeFacts {
  (view: View, content: RangeContent): RangeFacts;
  /**
   * Called at each step at which a view that is half full needs no summary, to read some of its events: a later summary then takes
   * less time. Changes no result. @defaultValue nothing is read ahead
   */
  readonly ahead?: ((view: View) => void) | undefined;
}

/** Returns the facts that a text does not name. Names count at their ends: `src/a.ts` does not stand in `src/a.tsx`. */
export function factsNotIn(text: string, facts: readonly RangeFact[]): readonly RangeFact[] {
  const held = comparable(text);
  return facts.filter(({ name }) => !stands(comparable(name), held));
}

function comparable(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Returns true if a name stands in a text, not as a part of a longer name. */
function stands(name: string, text: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text.slice(Math.max(0, at - 1), at);
    const after = text.slice(at + name.length, at + name.length + 2);
    const beginsInside = /^[\p{L}\p{N}_]/u.test(name) && /[\p{L}\p{N}_/\\.-]/u.test(before);
    const beginsBelow = /^[/\\.]/.test(name) && /[\p{L}\p{N}_/\\.-]/u.test(before);
    const endsInside = /[\p{L}\p{N}_]$/u.test(name) && /^(?:[\p{L}\p{N}_/\\-]|\.[\p{L}\p{N}_])/u.test(after);
    if (!beginsInside && !beginsBelow && !endsInside) return true;
  }
  return name === '';
}
