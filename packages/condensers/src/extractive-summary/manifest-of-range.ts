import type { CondensationSummaryEvent, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { estimateTokens, keptEventIds } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { EventRange } from '../authoring/rolling/selection.js';
import { hiddenNames } from './hidden/hidden-names.js';
import { eventsOfFilesInWork } from './hidden/kept-files.js';
import { readFacts, stillRunning } from './manifest/event-facts.js';
import type { Fact } from './manifest/fact.js';
import { lineageOf } from './manifest/lineage.js';
import type { Lineage } from './manifest/lineage.js';
import { Manifest } from './manifest/manifest.js';
import { renderManifest, userWordsOf } from './manifest/render-manifest.js';
import type { Section } from './manifest/section.js';

/** A summary of a range of a view, and what it costs. */
export interface RangeSummary {
  /** The events that the summary replaces. */
  readonly ids: readonly EventId[];
  /** They as a range, if they are one. */
  readonly range: EventRange | undefined;
  /** The facts behind the summary, this range included. */
  readonly lineage: Lineage;
  readonly summary: string;
  /** Unit: tokens. */
  readonly summaryTokens: number;
  /** The size of the forgotten events. Unit: events. */
  readonly forgottenEvents: number;
  /** The size of the forgotten events. Unit: tokens. */
  readonly forgottenTokens: number;
  /** For the condensation: `coveredEvents`, the condensations that it `replaces`, and the `facts` of this range alone. */
  readonly metadata: {
    readonly coveredEvents: number;
    readonly replaces: readonly string[];
    readonly facts: readonly Fact[];
  };
}

/** The limits of the manifest of a range. Unit: tokens. */
export interface RangeLimits {
  readonly maxSummaryTokens: number;
  /** Of the summary, for the user's words. */
  readonly maxUserWordTokens: number;
  /** For lists of names besides. */
  readonly maxNameTokens: number;
  /** For files in work, which stay as they are. */
  readonly maxFileTokens: number;
}

/**
 * Writes the manifest of a range. Its limit is `maxSummaryTokens`, and also the tokens of earlier summaries in the range plus
 * half of the rest; the user's words have their space in any case. Undefined if the manifest would not make the view smaller.
 */
export function manifestOfRange(
  view: View,
  { start, end }: EventRange,
  { maxSummaryTokens, maxUserWordTokens, maxNameTokens, maxFileTokens }: RangeLimits,
): RangeSummary | undefined {
  const inWork = eventsOfFilesInWork(view, { start, end }, { maxTokens: maxFileTokens });
  const kept = new Set([...keptEventIds(view), ...inWork]);
  const forgotten: LLMConvertibleEvent[] = [];
  let forgottenTokens = 0;
  let place: number | undefined;
  let last = start;
  let oldSummaryTokens = 0;
  let estimated = 0;
  for (let index = start; index < end; index++) {
    const event = view.events.at(index);
    if (event === undefined || kept.has(event.id)) continue;
    place ??= index;
    last = index;
    forgotten.push(event);
    const tokens = view.tokens(index, index + 1);
    forgottenTokens += tokens;
    if (event.type === 'condensation-summary') oldSummaryTokens += tokens;
    estimated += estimateTokens(event);
  }
  const summaries = forgotten.filter((event) => event.type === 'condensation-summary');
  // Rewriting a single summary is no progress.
  if (place === undefined || (forgotten.length === summaries.length && summaries.length < 2)) return undefined;

  const lineage = lineageOf(view, summaries);
  const { manifest } = lineage;
  const before = new Manifest();
  readFacts(view.events.slice(0, start), view, before);
  const newFacts = readFacts(forgotten, view, manifest, before);
  const running = stillRunning(view, forgotten, manifest);
  const coveredEvents = lineage.coveredEvents + forgotten.length - summaries.length;

  const reading = { original: (id: EventId) => view.original(id), beginsWithRequest: before.userWords.length === 0 };
  const words = userWordsOf(manifest, reading);
  const said = spaceFor(words, view, Math.min(maxUserWordTokens, maxSummaryTokens));
  let userCharacters = said.characters;
  // The view's count may differ from the estimate; only a number of characters can be targeted.
  const room = Math.min(maxSummaryTokens, oldSummaryTokens + (forgottenTokens - oldSummaryTokens) / 2);
  let characters =
    userCharacters + Math.floor((Math.max(0, room - said.tokens) * 4 * estimated) / Math.max(1, forgottenTokens));
  for (let attempt = 0; attempt < 6; attempt++) {
    const facts = renderManifest(manifest, {
      events: coveredEvents,
      maxCharacters: Math.max(characters, userCharacters) - 16,
      userCharacters,
      keepsFiles: inWork.size > 0,
      running,
      ...reading,
    });
    if (facts === undefined) return undefined;
    const taken = view.tokensOf(summaryEvent(facts));
    if (taken > maxSummaryTokens) {
      const over = Math.ceil(((taken - maxSummaryTokens) * facts.length) / taken);
      characters = Math.min(characters, facts.length) - over;
      if (attempt > 1) userCharacters = Math.min(userCharacters, characters);
      continue;
    }
    const names = hiddenNames(view, { going: forgotten, summary: facts, maxTokens: maxNameTokens });
    const summary = [facts, ...names].join('\n\n').toWellFormed();
    const summaryTokens = view.tokensOf(summaryEvent(summary));
    if (summaryTokens < forgottenTokens) {
      const ids = forgotten.map(({ id }) => id);
      const metadata = { coveredEvents, replaces: lineage.replaces, facts: [...lineage.newFacts, ...newFacts] };
      const { cutPoints } = view;
      const isRange =
        inWork.size === 0 && cutPoints.atOrAfter(place) === place && cutPoints.atOrAfter(last + 1) === last + 1;
      const range = isRange ? { start: place, end: last + 1 } : undefined;
      const sizes = { summaryTokens, forgottenEvents: forgotten.length, forgottenTokens };
      return { ids, range, lineage, summary, ...sizes, metadata };
    }
    characters = Math.floor(characters * 0.6);
    if (attempt > 0) userCharacters = Math.min(userCharacters, characters);
  }
  return undefined;
}

/** The space in which the user's words take at most so many tokens, and what they take; none if not one fits. */
function spaceFor(
  words: Section,
  view: View,
  maxTokens: number,
): { readonly characters: number; readonly tokens: number } {
  const none = { characters: 0, tokens: 0 };
  if (words.isEmpty) return none;
  let characters = maxTokens * mostOfToken;
  for (let attempt = 0; attempt < 4; attempt++) {
    const lines = words.fit(characters);
    if (lines.length === 0) return none;
    const text = [`## ${words.heading}`, ...lines].join('\n');
    const tokens = view.tokensOf(summaryEvent(text)) - view.tokensOf(summaryEvent(''));
    if (tokens <= maxTokens) return { characters: text.length + 2, tokens };
    characters = Math.floor((Math.min(characters, text.length) * maxTokens) / tokens) - words.heading.length;
  }
  return { characters: Math.max(0, characters), tokens: maxTokens };
}

/** No text has so many characters in each of its tokens. */
const mostOfToken = 8;

function summaryEvent(summary: string): CondensationSummaryEvent {
  return { type: 'condensation-summary', id: 'summary', timestamp: '', source: 'environment', summary };
}
