import type { CondensationRequest } from '@palimpsest/events';
import { addressOf, isToolResult } from '@palimpsest/events';
import { costOf } from '@palimpsest/llm-adapters';
import type { TokenPrices } from '@palimpsest/llm-adapters';
import type { RelevanceDirective } from '@palimpsest/relevance-tool';
import type { CondensationDetails, ForgottenEvent, View } from '@palimpsest/view';
import { reasonInWords } from '../output/condensation-reasons.js';
import type { Page, PageLine } from './command-screen.js';
import { callOf, eventInWords } from './event-words.js';
import { counted, dollars, tokens } from './figures-in-words.js';

/** What a condensation costs in the prompt cache and saves at each request. Unit: USD. */
export interface CondensationPrice {
  /** To write again at the next request what the cache could have served. */
  readonly rewritingUsd: number;
  /** What its own model cost. 0 if it asked none, undefined if that is not known. */
  readonly modelUsd: number | undefined;
  /** What each request saves that reads the cache. Negative if requests have become larger. */
  readonly savedUsdPerRequest: number;
}

/** The price of a condensation at the prices of the agent's model. */
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

/** A condensation on one line: who, why, and what became of the sizes. */
export function condensationInWords(details: CondensationDetails): string {
  const { forgotten, masked, tokensBefore, tokensAfter, revert } = details;
  const changes = [
    ...(forgotten.length > 0 ? [`${counted(forgotten.length, 'event')} forgotten`] : []),
    ...(masked.length > 0 ? [`${masked.length} masked`] : []),
  ];
  const sizes = `${tokens(tokensBefore)} → ${tokens(tokensAfter)}`;
  return [
    whyOf(details),
    changes.join(', ') || 'nothing was forgotten',
    sizes,
    ...(revert === undefined ? [] : ['reverted']),
  ].join(' · ');
}

function whyOf({ condensation: { metadata = {} } }: CondensationDetails): string {
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return reasonInWords({ condenser: text(metadata['condenser']), reason: text(metadata['reason']) });
}

/**
 * A condensation as a page: why, the figures before and after, what it cost and saves, the summary, and all that was forgotten or
 * masked, with the addresses by which it is got back.
 *
 * @param options - `prices`: of the agent's model. Without them the figures are tokens alone
 */
export function condensationPage(
  details: CondensationDetails,
  { view, prices }: { readonly view: View; readonly prices?: TokenPrices | undefined },
): Page {
  const { condensation, forgotten, masked, revert, request } = details;
  const { summary, metadata = {} } = condensation;
  const stage = metadata['stage'];
  const model = metadata['model'];
  return {
    title: `Condensation ${addressOf(condensation.id)}`,
    lines: [
      strong(whyOf(details)),
      plain(askedInWords(request)),
      ...(typeof stage === 'string' ? [plain(`Stage: ${stage}`)] : []),
      ...(typeof model === 'string' ? [plain(`Written by ${model}.`)] : []),
      plain(`At ${condensation.timestamp}.`),
      ...(revert === undefined ? [] : [strong(`Reverted at ${revert.timestamp}: the model reads it all again.`)]),
      blank,
      ...figureLines(details, prices),
      ...(summary === undefined
        ? []
        : [blank, strong('The summary that stands in its place'), ...textLines(summary, { indent: 2 })]),
      ...section(`Forgotten: ${counted(forgotten.length, 'event')}`, forgotten.length, [
        ...forgotten.map((each) => lineOf(each, view)),
      ]),
      ...section(
        `Masked: ${masked.length}`,
        masked.length,
        masked.flatMap((each) => [
          lineOf(each, view, ` → ${tokens(each.tokensAfter)}, ${each.what}`),
          ...textLines(each.note, { indent: 4, style: 'dim' }),
        ]),
      ),
      blank,
      dim('/recall and an address shows the text; /undo-compact brings all of it back to the model.'),
    ],
  };
}

function askedInWords(request: CondensationRequest | undefined): string {
  if (request === undefined) return 'Nobody asked for it: the condenser decided.';
  if (request.source === 'user') {
    return request.focus === undefined
      ? 'You asked for it.'
      : `You asked for it, with a focus: ${oneLine(request.focus)}`;
  }
  const why = request.reason === undefined ? '' : `: ${oneLine(request.reason)}`;
  return `${request.source === 'agent' ? 'The agent' : 'The program'} asked for it${why}.`;
}

function figureLines(details: CondensationDetails, prices: TokenPrices | undefined): readonly PageLine[] {
  const { tokensBefore, tokensAfter, savedTokens, rewrittenTokens, untouchedTokens } = details;
  const lines = [
    plain(
      `Before: ${tokens(tokensBefore)}. After: ${tokens(tokensAfter)}. Each request has ${tokens(savedTokens)} less.`,
    ),
    plain(
      rewrittenTokens === 0
        ? 'The prompt cache stays as it is.'
        : `The prompt cache keeps the first ${tokens(untouchedTokens)}; the next request writes ${tokens(rewrittenTokens)} again.`,
    ),
  ];
  if (prices === undefined) return [...lines, dim('The prices of the model are not known.')];
  const { rewritingUsd, modelUsd, savedUsdPerRequest } = priceOf(details, prices);
  const cost = rewritingUsd + (modelUsd ?? 0);
  const own = modelUsd === 0 ? '' : `, and its model ${dollars(modelUsd)}`;
  const even =
    savedUsdPerRequest > 0 ? ` It has paid after ${counted(Math.ceil(cost / savedUsdPerRequest), 'request')}.` : '';
  return [
    ...lines,
    plain(
      `That costs ${dollars(rewritingUsd)} once${own}, and each request saves ${dollars(savedUsdPerRequest)}.${modelUsd === undefined ? '' : even}`,
    ),
  ];
}

/** The size of a result, and of what the model reads in its place: undefined while its note waits, 0 where it is forgotten. */
export function directiveTokens(
  { targetEventId }: RelevanceDirective,
  view: View,
): { readonly before: number; readonly after: number | undefined } {
  const target = view.original(targetEventId);
  const before = target !== undefined && isToolResult(target) ? view.tokensOf(target) : 0;
  const index = view.indexOf(targetEventId);
  const shown = index === undefined ? undefined : view.events.at(index);
  if (shown === undefined) return { before, after: 0 };
  const isNote = isToolResult(shown) && 'redacted' in shown && shown.redacted === true;
  return { before, after: isNote ? view.tokensOf(shown) : undefined };
}

/** A note that the model wrote in the place of a result: what, why, and whether the model reads it by now. */
export function directivePage(directive: RelevanceDirective, view: View): Page {
  const target = view.original(directive.targetEventId);
  const { before, after } = directiveTokens(directive, view);
  const state =
    after === undefined
      ? `The note waits until it pays to put it in; the result has ${tokens(before)}.`
      : after === 0
        ? 'The result is forgotten by now.'
        : `The model reads the note: ${tokens(after)} in the place of ${tokens(before)}.`;
  return {
    title: `Redaction ${addressOf(directive.id)}`,
    lines: [
      strong('The model said that a result is no longer needed.'),
      ...(target !== undefined && isToolResult(target)
        ? [plain(`${addressOf(target.id)}  ${eventInWords(target, callOf(target, view))}`)]
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

function lineOf({ event, address, tokens: size }: ForgottenEvent, view: View, more = ''): PageLine {
  return {
    text: `${address}  ${eventInWords(event, callOf(event, view))} (${tokens(size)}${more})`,
    style: 'hidden',
    indent: 2,
  };
}

function section(title: string, count: number, lines: readonly PageLine[]): readonly PageLine[] {
  return count === 0 ? [] : [blank, strong(title), ...lines];
}

const blank: PageLine = { text: '' };
const plain = (text: string): PageLine => ({ text });
const strong = (text: string): PageLine => ({ text, style: 'strong' });
const dim = (text: string): PageLine => ({ text, style: 'dim' });

/** A text as lines of a page. */
export function textLines(
  text: string,
  { indent = 0, style = 'plain' }: Omit<PageLine, 'text'> = {},
): readonly PageLine[] {
  // Most texts hold no carriage return, and a search for one character is much faster.
  const lines = text.includes('\r') ? text.split(/\r\n|\r|\n/) : text.split('\n');
  return lines.map((line) => ({ text: line, indent, style }));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
