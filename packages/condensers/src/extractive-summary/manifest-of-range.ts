import type { CondensationSummaryEvent, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { estimateTokens, keptEventIds } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { eventsOfFilesInWork } from './hidden/kept-files.js';
import { hiddenNames } from './hidden/hidden-names.js';
import { readFacts } from './manifest/event-facts.js';
import type { Fact } from './manifest/fact.js';
import { lineageOf } from './manifest/lineage.js';
import { Manifest } from './manifest/manifest.js';
import { renderManifest, userWordsOf } from './manifest/render-manifest.js';
import type { Section } from './manifest/section.js';
import type { Selection } from '../authoring/rolling/select-middle.js';

/** A summary of a range of a view, and what it costs. */
export interface RangeSummary {
  /** The events that the summary replaces. */
  readonly ids: readonly EventId[];
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
  { start, end }: Selection,
  { maxSummaryTokens, maxUserWordTokens, maxNameTokens, maxFileTokens }: RangeLimits,
): RangeSummary | undefined {
  const inWork = eventsOfFilesInWork(view, { start, end }, { maxTokens: maxFileTokens });
  const kept = new Set([...keptEventIds(view), ...inWork]);
  const forgotten: LLMConvertibleEvent[] = [];
  let forgottenTokens = 0;
  let place: number | undefined;
  let oldSummaryTokens = 0;
  let estimated = 0;
  for (let index = start; index < end; index++) {
    const event = view.events.at(index);
    if (event === undefined || kept.has(event.id)) continue;
    place ??= index;
    forgotten.push(event);
    forgottenTokens += view.tokens(index, index + 1);
    if (event.type === 'condensation-summary') oldSummaryTokens += view.tokens(index, index + 1);
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
  const coveredEvents = lineage.coveredEvents + forgotten.length - summaries.length;

  const reading = { original: (id: EventId) => view.original(id), beginsWithRequest: before.userWords.length === 0 };
  const words = userWordsOf(manifest, reading);
  let userCharacters = spaceFor(words, view, Math.min(maxUserWordTokens, maxSummaryTokens));
  // The view's count may differ from the estimate; only a number of characters can be targeted.
  const room = Math.min(maxSummaryTokens, oldSummaryTokens + (forgottenTokens - oldSummaryTokens) / 2);
  const charactersPerToken = (4 * estimated) / Math.max(1, forgottenTokens);
  // Words may have more characters a token than the rest, which keeps its share all the same.
  const besides = Math.max(0, room - maxUserWordTokens) * charactersPerToken;
  let characters = Math.floor(Math.max(room * charactersPerToken, userCharacters + besides));
  for (let attempt = 0; attempt < 4; attempt++) {
    const facts = renderManifest(manifest, {
      events: coveredEvents,
      maxCharacters: Math.max(characters, userCharacters) - 16,
      userCharacters,
      keepsFiles: inWork.size > 0,
      ...reading,
    });
    if (facts === undefined) return undefined;
    const names = hiddenNames(view, { going: forgotten, summary: facts, maxTokens: maxNameTokens });
    const summary = [facts, ...names].join('\n\n').toWellFormed();
    const summaryTokens = view.tokensOf(summaryEvent(summary));
    const factTokens = view.tokensOf(summaryEvent(facts));
    if (factTokens <= maxSummaryTokens && summaryTokens < forgottenTokens) {
      const ids = forgotten.map(({ id }) => id);
      const metadata = { coveredEvents, replaces: lineage.replaces, facts: [...lineage.newFacts, ...newFacts] };
      return { ids, summary, summaryTokens, forgottenEvents: forgotten.length, forgottenTokens, metadata };
    }
    const fitting = (0.95 * maxSummaryTokens) / factTokens;
    characters = Math.floor(characters * (attempt === 0 && fitting < 1 ? Math.max(0.6, fitting) : 0.6));
    if (attempt > 0) userCharacters = Math.min(userCharacters, characters);
  }
  return undefined;
}

/** The space in which the user's words take at most so many tokens; 0 if none fit. Unit: characters. */
function spaceFor(words: Section, view: View, tokens: number): number {
  if (words.isEmpty || tokens === 0) return 0;
  // A token that holds more characters is not known.
  let characters = tokens * mostOfToken;
  for (let attempt = 0; attempt < 4; attempt++) {
    const text = [`## ${words.heading}`, ...words.fit(characters)].join('\n');
    const taken = view.tokensOf(summaryEvent(text)) - view.tokensOf(summaryEvent(''));
    if (text.length <= words.heading.length + 3) return 0;
    if (taken <= tokens) return Math.min(characters, text.length + 2);
    characters = Math.floor((Math.min(characters, text.length) * tokens) / taken);
  }
  return characters;
}

/** Unit: characters. */
const mostOfToken = 8;

function summaryEvent(summary: string): CondensationSummaryEvent {
  return { type: 'condensation-summary', id: 'summary', timestamp: '', source: 'environment', summary };
}
