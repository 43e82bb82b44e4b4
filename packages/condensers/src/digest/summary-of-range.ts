import type { CondensationSummaryEvent, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { estimateTokens, keptEventIds } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { EventRange } from '../authoring/rolling/selection.js';
import { readFacts, stillRunning } from './facts/event-facts.js';
import type { Fact } from './facts/fact.js';
import { lineageOf } from './facts/lineage.js';
import type { Lineage } from './facts/lineage.js';
import { Manifest } from './facts/manifest.js';
import { renderManifest, userWordsOf } from './facts/render-manifest.js';
import type { RenderManifestOptions } from './facts/render-manifest.js';
import type { Section } from './facts/section.js';
import { digestOf } from './lines/digest-of.js';

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
  /**
   * For the condensation: `coveredEvents`, the condensations that it `replaces`, the `facts` of this range alone, and the size of the user's
   * words in the summary.
   */
  readonly metadata: {
    readonly coveredEvents: number;
    readonly replaces: readonly string[];
    readonly facts: readonly Fact[];
    readonly userWordTokens: number;
  };
}

/** The limits of the summary of a range. Unit: tokens, as the view estimates. */
export interface SummaryLimits {
  /** For the list of facts. */
  readonly maxFactTokens: number;
  /** For the user's words besides. */
  readonly maxUserWordTokens: number;
  /** For the digest besides: paths, and lines of results and edits. */
  readonly maxLineTokens: number;
  /** The subject that the user wants kept: of the lines, those that hold a word of it come first. @defaultValue the user said nothing */
  readonly focus?: string | undefined;
}

/** A summary that takes as much as it replaces is written again so much smaller. Unit: share. */
const smaller = 0.6;
const mostAttempts = 5;

/**
 * Writes the summary of a range: the user's words, facts, and a digest of all that is hidden. Facts also take no more than earlier
 * summaries in the range and half of the rest, and the digest no more than half of it. Undefined if the summary would not make the view
 * smaller. Others work in its pauses.
 */
export async function summaryOfRange(
  view: View,
  { start, end }: EventRange,
  limits: SummaryLimits,
  signal?: AbortSignal,
): Promise<RangeSummary | undefined> {
  const going = goingIn(view, { start, end });
  const { forgotten, tokens, place } = going;
  const summaries = forgotten.filter((event) => event.type === 'condensation-summary');
  // Rewriting a single summary is no progress.
  if (place === undefined || (forgotten.length === summaries.length && summaries.length < 2)) return undefined;

  const lineage = lineageOf(view, summaries);
  const { manifest } = lineage;
  const before = new Manifest();
  readFacts(view.events.slice(0, start), view, before);
  const newFacts = readFacts(forgotten, view, manifest, before);
  const coveredEvents = lineage.coveredEvents + forgotten.length - summaries.length;
  const reading = {
    events: coveredEvents,
    running: stillRunning(view, forgotten, manifest),
    original: (id: EventId) => view.original(id),
    positionOf: (id: EventId) => view.positionOf(id),
    beginsWithRequest: before.userWords.length === 0,
  };
  const metadata = { coveredEvents, replaces: lineage.replaces, facts: [...lineage.newFacts, ...newFacts] };
  let share = 1;
  for (let attempt = 0; attempt < mostAttempts; attempt++, share *= smaller) {
    const isLast = attempt === mostAttempts - 1;
    const written = factsText(view, manifest, reading, going, scaled(limits, share, isLast ? share : 1));
    if (written === undefined) return undefined;
    const { text: facts, userWordTokens } = written;
    const maxLineTokens = Math.min(limits.maxLineTokens, tokens / 2) * share;
    const room = { maxTokens: maxLineTokens * going.estimate, focus: limits.focus };
    const digest = await digestOf(view, forgotten, facts, room, signal);
    const summary = [facts, ...digest].join('\n\n').toWellFormed();
    const summaryTokens = view.tokensOf(summaryEvent(summary));
    if (summaryTokens >= tokens) continue;
    const sizes = { summaryTokens, forgottenEvents: forgotten.length, forgottenTokens: tokens };
    return {
      ids: forgotten.map(({ id }) => id),
      range: rangeOf(view, going),
      lineage,
      summary,
      ...sizes,
      metadata: { ...metadata, userWordTokens },
    };
  }
  return undefined;
}

/** The user's words are made smaller last. */
function scaled(limits: SummaryLimits, share: number, shareOfWords: number): SummaryLimits {
  return {
    ...limits,
    maxFactTokens: limits.maxFactTokens * share,
    maxUserWordTokens: limits.maxUserWordTokens * shareOfWords,
    maxLineTokens: limits.maxLineTokens * share,
  };
}

/** What goes of a range. */
interface Going {
  readonly forgotten: readonly LLMConvertibleEvent[];
  /** Unit: tokens, as the view counts. */
  readonly tokens: number;
  /** Of these, in earlier summaries. */
  readonly summaryTokens: number;
  /** Our own estimate for each token that the view counts. */
  readonly estimate: number;
  /** The indices of the first and the last of them. */
  readonly place: number | undefined;
  readonly last: number;
}

function goingIn(view: View, { start, end }: EventRange): Going {
  const kept = keptEventIds(view);
  const forgotten: LLMConvertibleEvent[] = [];
  let [tokens, summaryTokens, estimated] = [0, 0, 0];
  let place: number | undefined;
  let last = start;
  for (let index = start; index < end; index++) {
    const event = view.events.at(index);
    if (event === undefined || kept.has(event.id)) continue;
    place ??= index;
    last = index;
    forgotten.push(event);
    const size = view.tokens(index, index + 1);
    tokens += size;
    if (event.type === 'condensation-summary') summaryTokens += size;
    estimated += estimateTokens(event);
  }
  return { forgotten, tokens, summaryTokens, estimate: estimated / Math.max(1, tokens), place, last };
}

/** A range is found without a look at each of its events. */
function rangeOf({ cutPoints }: View, { place = 0, last }: Going): EventRange | undefined {
  const isRange = cutPoints.atOrAfter(place) === place && cutPoints.atOrAfter(last + 1) === last + 1;
  return isRange ? { start: place, end: last + 1 } : undefined;
}

/** The view's count may differ from the estimate, and only a number of characters can be aimed at. */
const charactersPerToken = 4;

/** Writes the user's words and the facts within their limits. Undefined if not even the first lines fit. */
function factsText(
  view: View,
  manifest: Manifest,
  reading: Omit<RenderManifestOptions, 'maxCharacters' | 'userCharacters'>,
  { tokens, summaryTokens, estimate }: Going,
  { maxFactTokens, maxUserWordTokens }: SummaryLimits,
): { readonly text: string; readonly userWordTokens: number } | undefined {
  const said = spaceFor(userWordsOf(manifest, reading), view, maxUserWordTokens);
  let userCharacters = said.characters;
  const room = Math.min(maxFactTokens, summaryTokens + (tokens - summaryTokens) / 2);
  let characters = userCharacters + Math.floor(room * charactersPerToken * estimate);
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const maxCharacters = Math.max(characters, userCharacters);
    const text = renderManifest(manifest, { ...reading, maxCharacters, userCharacters });
    if (text === undefined) return undefined;
    const taken = view.tokensOf(summaryEvent(text));
    const limit = maxFactTokens + said.tokens;
    if (taken <= limit) return { text, userWordTokens: said.tokens };
    characters = Math.min(characters, text.length) - Math.ceil(((taken - limit) * text.length) / taken);
    if (attempt > 1) userCharacters = Math.min(userCharacters, characters);
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
