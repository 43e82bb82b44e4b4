import type { Condensation, CreateEvent } from '@palimpsest/events';
import { condensation } from '@palimpsest/view';
import type { CondenseContext, View } from '@palimpsest/view';
import { oneLine } from '../calls/excerpt.js';
import { CondenserModelError } from '../definition/errors.js';
import { eventText } from '../model/event-text.js';
import type { AgentConversation } from '../model/prompt.js';
import { calibrationOf } from '../rolling/calibration.js';
import { accountingOf } from '../rolling/requirement.js';
import type { Requirement } from '../rolling/requirement.js';
import type { EventRange } from '../rolling/selection.js';
import { cutToFit, factSection, keptFacts, keptUserWords, keptWords } from './kept-text.js';
import type { KeptWords, TextRoom } from './kept-text.js';
import { factsNotIn } from './range.js';
import type { RangeContent, RangeFact, ReadRangeFacts } from './range.js';
import { askForSummary, leastSummaryTokens } from './summarizer.js';
import type { AskedSummary, Summarizer } from './summarizer.js';

/** The part of the first event that stays which the model is shown, to know where its summary ends. Unit: characters. */
const lengthOfKeptFrom = 200;

/** The range to summarise, the summariser and the reasons. */
export interface RangeToSummarise {
  readonly condenser: string;
  readonly summarizer: Summarizer;
  readonly view: View;
  readonly range: EventRange;
  readonly content: RangeContent;
  readonly requirement: Requirement;
  /** Unit: tokens. */
  readonly maxSummaryTokens: number;
  /** The least that a summary must save if the view holds too many tokens. Unit: share of the view's tokens. */
  readonly minProgress: number;
  /** The deadline of a summary. Unit: milliseconds. */
  readonly timeoutMs: number;
  /** The longest part of a summary that holds the user's words. Unit: tokens. @defaultValue 0 */
  readonly maxUserWordTokens?: number | undefined;
  /** Reads the user's words in the range, and the facts that its summary must name. @defaultValue nothing is known */
  readonly readFacts?: ReadRangeFacts | undefined;
  /** True if the summariser may ask after the agent's request, where the host supplies it. @defaultValue false */
  readonly extendsAgentRequest?: boolean | undefined;
  readonly context: CondenseContext;
  readonly createEvent?: CreateEvent | undefined;
}

/**
 * Requests one summary of a range and creates the condensation that replaces the range. What the user said in the range, and facts
 * that the summary does not name, are put behind it, word for word. Fails closed: if anything is wrong with the summary, the
 * history is unchanged.
 *
 * The whole takes at most `maxSummaryTokens` (and at least 64): the user's words at most `maxUserWordTokens` and half of it, the
 * facts a quarter; a text that is longer than the rest is cut in the middle. If the whole saves too little, the text yields first,
 * down to 64 tokens, then the facts, then the words.
 *
 * @throws {@link CondenserModelError} when there is no summary, or none that makes the view smaller; the signal's reason when the
 *   caller aborts.
 */
export async function summariseRange(options: RangeToSummarise, inputScale = 1): Promise<Condensation> {
  const { view, content, requirement, createEvent } = options;
  const kept = keptOf(options);
  const { text: answer, account, ...asked } = await askFor(options, kept, inputScale);
  const saved = (summary: string): number => content.tokens - kept.sizeOf(summary);
  const savesEnough = (summary: string): boolean => saved(summary) >= leastSaved(options, saved(summary));
  const within = (maxTokens: number): string => cutToFit(answer, { ...kept, maxTokens });
  const whole = within(kept.maxTokens - kept.reservedTokens);
  if (!savesEnough(whole)) {
    const reason = `the summary has ${kept.sizeOf(whole)} tokens, and what it would replace ${content.tokens}`;
    throw new CondenserModelError('too-large', reason, { account });
  }
  const room = content.tokens - leastSaved(options, saved(whole)) - kept.reservedTokens;
  const shorter = room < leastSummaryTokens ? whole : within(Math.min(room, kept.sizeOf(whole)));
  const { text, summary } = firstOf(candidates(whole, shorter, kept), (one) => savesEnough(one.summary)) ?? {
    text: whole,
    summary: whole,
  };
  return condensation({
    view,
    ...options.range,
    summary,
    metadata: {
      ...accountingOf({
        condenser: options.condenser,
        reason: requirement.reasons.join(', '),
        view,
        savedTokens: saved(summary),
        tokenBudget: requirement.tokenBudget,
        ...account,
      }),
      coveredEvents: content.forgotten.length,
      ...(summary === text ? {} : { writtenCharacters: text.length }),
      ...(asked.isExtension === undefined ? {} : { extendsAgentRequest: asked.isExtension }),
    },
    createEvent,
  });
}

/** Returns the possible forms of the summary, the best first. */
function* candidates(
  whole: string,
  shorter: string,
  kept: Kept,
): Generator<{ readonly text: string; readonly summary: string }> {
  const { section } = kept.words;
  const written = (text: string, ...behind: readonly string[]) => ({
    text,
    summary: [text, ...behind.filter((part) => part !== '')].join('\n\n'),
  });
  yield written(whole, section, lostFacts(whole, kept));
  if (shorter !== whole) yield written(shorter, section, lostFacts(shorter, kept));
  yield written(shorter, section);
  yield written(whole);
}

function firstOf<Item>(items: Iterable<Item>, isIt: (item: Item) => boolean): Item | undefined {
  for (const item of items) if (isIt(item)) return item;
  return undefined;
}

/** Returns the facts that a text does not name, as they stand behind it. */
function lostFacts(text: string, { facts }: Kept): string {
  return factSection(factsNotIn(text, facts));
}

/** The parts of a summary besides its writer's text, and the room for both. */
interface Kept extends TextRoom {
  readonly words: KeptWords;
  /** The facts that the summary must name. */
  readonly facts: readonly RangeFact[];
  /** The room of the words and the facts. Unit: tokens. */
  readonly reservedTokens: number;
}

function keptOf({ view, content, requirement, maxUserWordTokens = 0, readFacts, ...options }: RangeToSummarise): Kept {
  const event = { type: 'condensation-summary', id: 'summary', timestamp: '', source: 'environment' } as const;
  const sizeOf = (summary: string): number => (summary === '' ? 0 : view.tokensOf({ ...event, summary }));
  const maxTokens = Math.max(leastSummaryTokens, options.maxSummaryTokens);
  const { userWords = [], facts = [] } = readFacts?.(view, content) ?? {};
  const room = Math.min(maxTokens, quarterOf(requirement));
  const summaries = content.forgotten.filter(({ type }) => type === 'condensation-summary');
  const summaryTokens = summaries.reduce((sum, one) => sum + view.tokensOf(one), 0);
  const replaceable = Math.floor((content.tokens + summaryTokens) / 2);
  const wordRoom = Math.min(maxUserWordTokens, Math.floor(room / 2), replaceable);
  const words = keptWords(userWords, { maxTokens: wordRoom, sizeOf });
  const fitting = keptFacts(facts, { maxTokens: Math.floor(Math.min(room, replaceable) / 4), sizeOf });
  const reservedTokens = sizeOf(words.section) + sizeOf(factSection(fitting));
  return { words, facts: fitting, reservedTokens, maxTokens, sizeOf };
}

/** Returns the share of the budget that a summary may take. Unit: tokens. */
function quarterOf({ tokenBudget = Infinity }: Requirement): number {
  return Math.floor(tokenBudget / 4);
}

/**
 * Returns the least savings: one token, or the minimum share if the view would still be over its budget. This avoids a chain of tiny
 * steps.
 */
function leastSaved({ view, requirement, minProgress }: RangeToSummarise, saved: number): number {
  const isStillOver =
    requirement.reasons.includes('tokens') && view.tokens() - saved > (requirement.tokenBudget ?? Infinity);
  return isStillOver ? Math.max(1, view.tokens() * minProgress) : 1;
}

function askFor(options: RangeToSummarise, kept: Kept, inputScale: number): Promise<AskedSummary> {
  const { view, content, summarizer, timeoutMs, context, requirement } = options;
  const most = Math.min(options.maxSummaryTokens, quarterOf(requirement), Math.floor(content.tokens / 2));
  const { events } = content;
  const input = {
    events,
    previousSummary: writtenBefore(view, content),
    userWords: [...keptUserWords(view), ...kept.words.shown],
    facts: kept.facts.map(({ text }) => text),
    focus: context.focus,
    maxSummaryTokens: Math.max(leastSummaryTokens, most - kept.reservedTokens),
    inputScale,
    conversation: inputScale < 1 ? undefined : conversationOf(options),
  };
  return askForSummary(view, input, { summarizer, timeoutMs, signal: context.signal });
}

/** Returns the text that the writers of the summaries in a range wrote. What was put after it is read from the log again. */
function writtenBefore(view: View, { forgotten }: RangeContent): string | undefined {
  const summaries = forgotten.filter((event) => event.type === 'condensation-summary');
  const texts = summaries.map(({ summary, condensationId }) => {
    const made = view.condensations.find(({ id }) => id === condensationId);
    const written = made?.metadata?.['writtenCharacters'];
    return typeof written === 'number' ? summary.slice(0, Math.max(0, written)) : summary;
  });
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

/** Returns the agent's request, if the summariser may ask behind it and the host says what it is. */
function conversationOf({
  view,
  range,
  context,
  extendsAgentRequest,
}: RangeToSummarise): AgentConversation | undefined {
  const request = extendsAgentRequest === true ? context.agentRequest?.(view) : undefined;
  if (request === undefined) return undefined;
  const { fixedTokens = 0 } = context;
  const next = view.events.at(range.end);
  return {
    request,
    tokens: Math.ceil((view.tokens() + fixedTokens) * calibrationOf(view, fixedTokens)),
    keptFrom: next === undefined ? undefined : oneLine(eventText(next), lengthOfKeptFrom),
  };
}
