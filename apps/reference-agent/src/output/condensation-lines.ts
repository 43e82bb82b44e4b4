import type { CondensationRequest, EventLog } from '@palimpsest/events';
import { addressOf, isToolResult } from '@palimpsest/events';
import { costOf } from '@palimpsest/llm-adapters';
import type { TokenPrices } from '@palimpsest/llm-adapters';
import type { RelevanceDirective } from '@palimpsest/relevance-tool';
import { CondensationHistory } from '@palimpsest/view/inspect';
import type { View } from '@palimpsest/view';
import type { CondensationDetails, ForgottenEvent } from '@palimpsest/view/inspect';
import { changePhrase, reasonPhrase, summaryTitle } from './condensation-phrases.js';
import type { Reread } from './figures.js';
import { eventPhrase } from './phrases.js';
import type { Page, Line } from './lines.js';
import { formatCount, formatDollars, formatTokens, textLines } from './lines.js';
import { countedDetails, tokensPerEstimate } from './request-size.js';

/** The history of each log, as far as it was read. Lists of condensations are shown while a command is typed. */
const histories = new WeakMap<EventLog, { readonly history: CondensationHistory; read: number }>();

/** The condensations of a log. Sizes are tokens of the provider. */
export type ShownHistory = Pick<CondensationHistory, 'condensations' | 'details'>;

/**
 * Returns the history of a log's condensations. A log is read once. A later call reads the events that have come since.
 */
export function condensationHistory(log: EventLog): ShownHistory {
  const known = histories.get(log) ?? { history: new CondensationHistory(), read: 0 };
  for (const event of log.slice(known.read)) known.history.append(event);
  known.read = log.length;
  histories.set(log, known);
  const { history } = known;
  return {
    condensations: history.condensations,
    details: (id) => {
      const details = history.details(id);
      return details === undefined ? undefined : countedDetails(details, history.view);
    },
  };
}

/** The price of a condensation: its cost in the prompt cache, and its savings at each request. Unit: USD. */
export interface CondensationPrice {
  /** To write again at the next request what the cache could have served. */
  readonly rewritingUsd: number;
  /** The cost of its own model. 0 if it called none, undefined if that is not known. */
  readonly modelUsd: number | undefined;
  /** The savings of each request that reads the cache. Negative if requests have become larger. */
  readonly savedUsdPerRequest: number;
}

/** Returns the price of a condensation at the prices of the agent's model. */
export function priceOf(details: CondensationDetails, prices: TokenPrices): CondensationPrice {
  const none = { uncachedInputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
  const { rewrittenTokens, savedTokens, condensation } = details;
  const read = (count: number) => costOf({ ...none, cacheReadTokens: count }, prices);
  const { usage, costUsd } = condensation.metadata ?? {};
  return {
    rewritingUsd: costOf({ ...none, cacheWriteTokens: rewrittenTokens }, prices) - read(rewrittenTokens),
    modelUsd: typeof costUsd === 'number' ? costUsd : usage === undefined ? 0 : undefined,
    savedUsdPerRequest: read(savedTokens),
  };
}

/** Returns a condensation on one line: who, why, and what became of the sizes. */
export function condensationPhrase(details: CondensationDetails): string {
  const { forgotten, masked, tokensBefore, tokensAfter, revert } = details;
  const { summary } = details.condensation;
  return [
    reasonPhrase(details.condensation.metadata ?? {}),
    changePhrase({ tokensBefore, tokensAfter, forgotten: forgotten.length, masked: masked.length, summary }),
    ...(revert === undefined ? [] : ['reverted']),
  ].join(' · ');
}

/** Facts that the details do not hold. */
interface Known {
  /** The view of the log that holds the condensation. */
  readonly view: View;
  /** Of the agent's model. Undefined: the figures are tokens alone. */
  readonly prices?: TokenPrices | undefined;
  /** The re-reads between the condensation and the next one. @defaultValue not told */
  readonly reread?: Reread | undefined;
}

/** Returns a condensation as a page: its lines, and the summary. */
export function condensationPage(details: CondensationDetails, known: Known): Page {
  const { condensation } = details;
  const { summary } = condensation;
  return {
    title: `Condensation ${addressOf(condensation.id)}`,
    lines: [
      ...condensationLines(details, known),
      ...(summary === undefined ? [] : section(summaryTitle(details.summaryTokens), textLines(summary, { indent: 2 }))),
      blank,
      dim('/recall and an address shows the text; /undo-compact brings all of it back to the model.'),
    ],
  };
}

/**
 * Returns a condensation but for its summary: why, the figures before and after, its cost and its savings, and all that was forgotten or
 * masked, with the addresses by which it is got back.
 */
export function condensationLines(details: CondensationDetails, { view, prices, reread }: Known): readonly Line[] {
  const { condensation, forgotten, masked, revert, request } = details;
  const { metadata = {} } = condensation;
  return [
    strong(reasonPhrase(metadata)),
    plain(requestPhrase(request)),
    ...metadataLines(metadata),
    plain(`At ${condensation.timestamp}.`),
    ...(revert === undefined ? [] : [strong(`Reverted at ${revert.timestamp}: the model reads it all again.`)]),
    blank,
    ...figureLines(details, prices),
    ...(reread === undefined ? [] : [plain(`Read again before the next condensation: ${rereadPhrase(reread)}.`)]),
    ...section(
      `Forgotten: ${formatCount(forgotten.length, 'event')}`,
      forgotten.map((each) => lineOf(each, view)),
    ),
    ...section(
      `Masked: ${masked.length}`,
      masked.flatMap((each) => [
        lineOf(each, view, ` → ${formatTokens(each.tokensAfter)}, ${each.what}`),
        ...textLines(each.note, { indent: 4, style: 'dim' }),
      ]),
    ),
  ];
}

const saidElsewhere = new Set(['condenser', 'reason', 'stage', 'model', 'costUsd', 'tokensBefore', 'tokensAfter']);

/** Returns the condenser's own records, a line each. */
function metadataLines(metadata: Readonly<Record<string, unknown>>): readonly Line[] {
  const { stage, model } = metadata;
  return [
    ...(typeof stage === 'string' ? [plain(`Stage: ${stage}`)] : []),
    ...(typeof model === 'string' ? [plain(`Written by ${model}.`)] : []),
    ...Object.entries(metadata)
      .filter(([key, value]) => !saidElsewhere.has(key) && ['string', 'number', 'boolean'].includes(typeof value))
      .map(([key, value]) => dim(`${oneLine(key)}: ${oneLine(String(value))}`)),
  ];
}

function requestPhrase(request: CondensationRequest | undefined): string {
  if (request === undefined) return 'Nobody asked for it: the condenser decided.';
  if (request.source === 'user') {
    return request.focus === undefined
      ? 'You asked for it.'
      : `You asked for it, with a focus: ${oneLine(request.focus)}`;
  }
  const why = request.reason === undefined ? '' : `: ${oneLine(request.reason)}`;
  return `${request.source === 'agent' ? 'The agent' : 'The program'} asked for it${why}.`;
}

function figureLines(details: CondensationDetails, prices: TokenPrices | undefined): readonly Line[] {
  const { tokensBefore, tokensAfter, savedTokens, rewrittenTokens, untouchedTokens } = details;
  const lines = [
    plain(
      `Before: ${formatTokens(tokensBefore)}. After: ${formatTokens(tokensAfter)}. Each request has ${formatTokens(savedTokens)} less.`,
    ),
    plain(
      rewrittenTokens === 0
        ? 'The prompt cache stays as it is.'
        : `The prompt cache keeps the first ${formatTokens(untouchedTokens)}; the next request writes ${formatTokens(rewrittenTokens)} again.`,
    ),
  ];
  if (prices === undefined) return [...lines, dim('The prices of the model are not known.')];
  const { rewritingUsd, modelUsd, savedUsdPerRequest } = priceOf(details, prices);
  const cost = rewritingUsd + (modelUsd ?? 0);
  const own = modelUsd === 0 ? '' : `, and its model ${formatDollars(modelUsd)}`;
  const even =
    savedUsdPerRequest > 0 ? ` It has paid after ${formatCount(Math.ceil(cost / savedUsdPerRequest), 'request')}.` : '';
  return [
    ...lines,
    plain(
      `That costs ${formatDollars(rewritingUsd)} once${own}, and each request saves ${formatDollars(savedUsdPerRequest)}.${modelUsd === undefined ? '' : even}`,
    ),
  ];
}

/** Returns the size of a result, and of what the model reads in its place: undefined while its note waits, 0 where it is forgotten. */
export function directiveTokens(
  { targetEventId }: RelevanceDirective,
  view: View,
): { readonly before: number; readonly after: number | undefined } {
  const target = view.original(targetEventId);
  const factor = tokensPerEstimate(view);
  const before = target !== undefined && isToolResult(target) ? view.tokensOf(target) * factor : 0;
  const index = view.indexOf(targetEventId);
  const shown = index === undefined ? undefined : view.events.at(index);
  if (shown === undefined) return { before, after: 0 };
  const isNote = isToolResult(shown) && 'redacted' in shown && shown.redacted === true;
  return { before, after: isNote ? view.tokensOf(shown) * factor : undefined };
}

/** Returns a note that the model wrote in the place of a result, and whether the model reads it by now. */
export function directivePage(directive: RelevanceDirective, view: View): Page {
  const target = view.original(directive.targetEventId);
  const { before, after } = directiveTokens(directive, view);
  const state =
    after === undefined
      ? `The note waits until it pays to put it in; the result has ${formatTokens(before)}.`
      : after === 0
        ? 'The result is forgotten by now.'
        : `The model reads the note: ${formatTokens(after)} in the place of ${formatTokens(before)}.`;
  return {
    title: `Redaction ${addressOf(directive.id)}`,
    lines: [
      strong('The model said that a result is no longer needed.'),
      ...(target !== undefined && isToolResult(target)
        ? [plain(`${addressOf(target.id)}  ${eventPhrase(target, view.callOf(target.id))}`)]
        : [plain(`${addressOf(directive.targetEventId)}  a result that the log does not hold`)]),
      plain(state),
      blank,
      strong("The model's note"),
      ...textLines(directive.text, { indent: 2 }),
      blank,
      dim('/recall and the address shows the result; /pin keeps it in full.'),
    ],
  };
}

/** Returns what was read again after it was hidden: `3,200 tokens in 2 calls, $0.0123`. */
export function rereadPhrase({ calls, tokens, usd }: Reread): string {
  return calls === 0 ? 'nothing' : `${formatTokens(tokens)} in ${formatCount(calls, 'call')}, ${formatDollars(usd)}`;
}

function lineOf({ event, address, tokens: size }: ForgottenEvent, view: View, more = ''): Line {
  return {
    text: `${address}  ${eventPhrase(event, view.callOf(event.id))} (${formatTokens(size)}${more})`,
    style: 'hidden',
    indent: 2,
  };
}

function section(title: string, lines: readonly Line[]): readonly Line[] {
  return lines.length === 0 ? [] : [blank, strong(title), ...lines];
}

const blank: Line = { text: '' };
const plain = (text: string): Line => ({ text });
const strong = (text: string): Line => ({ text, style: 'strong' });
const dim = (text: string): Line => ({ text, style: 'dim' });

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
