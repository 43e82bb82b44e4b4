import type { View } from '@palimpsest/view';
import type { RangeContent } from '../rolling/range-content.js';

/** A fact that a summary must name. */
export interface RangeFact {
  /** The fact in one line. */
  readonly text: string;
  /** A summary that holds these words, whatever the blanks, names the fact. */
  readonly name: string;
}

/** What is known of the events that a summary replaces, those behind earlier summaries included. */
export interface RangeFacts {
  /** What the user said in them, word for word, the oldest first. */
  readonly userWords: readonly string[];
  /** The facts, the most important first. */
  readonly facts: readonly RangeFact[];
}

/** Reads facts from the log; {@link factsOfRange} of `@palimpsest/condensers` is one. Changes nothing but what it remembers. */
export interface ReadRangeFacts {
  (view: View, content: RangeContent): RangeFacts;
  /**
   * Called at each step at which a view that is half full needs no summary, to read some of its events: a later summary then takes
   * less time. Changes no result. @defaultValue nothing is read ahead
   */
  readonly ahead?: ((view: View) => void) | undefined;
}

/** The facts that a text does not name. Names count at their ends: `src/a.ts` does not stand in `src/a.tsx`. */
export function factsNotIn(text: string, facts: readonly RangeFact[]): readonly RangeFact[] {
  const held = comparable(text);
  return facts.filter(({ name }) => !stands(comparable(name), held));
}

function comparable(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Whether a name stands in a text, not as a part of a longer name. */
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
