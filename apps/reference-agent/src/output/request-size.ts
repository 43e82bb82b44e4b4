import { calibrationOf } from '@palimpsest/condensers/authoring';
import type { EventId } from '@palimpsest/events';
import { contextUse } from '@palimpsest/view/inspect';
import type { CondensationDetails, ContextPart, ContextUse } from '@palimpsest/view/inspect';
import type { View } from '@palimpsest/view';

// All sizes of requests are shown in tokens of the provider: the window of the model, the limit of the condenser and the bill are counted
// in these. A view only estimates; what the provider counted of earlier requests corrects the estimate.

/**
 * Returns the provider's tokens for each estimated token of a view: 1 as long as the provider has counted nothing.
 *
 * @param before - a condensation: counts after it are left out. @defaultValue all counts
 */
export function tokensPerEstimate(view: View, before?: EventId): number {
  const { internalEvents } = view;
  const end = before === undefined ? -1 : internalEvents.findIndex(({ id }) => id === before);
  return calibrationOf(end === -1 ? view : { internalEvents: internalEvents.slice(0, end) });
}

/** Returns the size of a view. Unit: tokens of the provider, rounded. */
export function requestTokens(view: View, factor = tokensPerEstimate(view)): number {
  return Math.round(view.tokens() * factor);
}

/** Returns what {@link contextUse} does, with sizes in tokens of the provider, as the window and the threshold are. */
export function requestUse(view: View, options: NonNullable<Parameters<typeof contextUse>[1]>): ContextUse {
  const { contextWindow, threshold } = options;
  const use = contextUse(view, options);
  const counted = use.tokens * tokensPerEstimate(view);
  // Kept thinking that is not sent is a part of the estimate, and not of what the provider has counted.
  const factor = counted === use.tokens || use.sentTokens === 0 ? 1 : counted / use.sentTokens;
  const parts = use.parts.map((part) => ({ ...part, tokens: Math.round(part.tokens * factor) }));
  const sum = (those: readonly ContextPart[]): number => those.reduce((all, { tokens }) => all + tokens, 0);
  const sentTokens = sum(parts.filter(({ kind }) => kind !== 'not-sent'));
  return {
    ...use,
    tokens: sum(parts),
    sentTokens,
    parts,
    largest: use.largest.map((item) => ({
      ...item,
      tokens: Math.round(item.tokens * factor),
      sentTokens: Math.round(item.sentTokens * factor),
    })),
    ...(threshold === undefined ? {} : { untilThreshold: threshold - counted }),
    ...(contextWindow === undefined ? {} : { untilWindow: contextWindow - sentTokens }),
  };
}

/** Returns the details of a condensation with sizes in tokens of the provider. `view` holds the condensation. */
export function countedDetails(details: CondensationDetails, view: View): CondensationDetails {
  const factor = tokensPerEstimate(view, details.condensation.id);
  const sized = <Item extends { readonly tokens: number }>(item: Item) => ({ ...item, tokens: item.tokens * factor });
  const tokensBefore = Math.round(details.tokensBefore * factor);
  const tokensAfter = Math.round(details.tokensAfter * factor);
  return {
    ...details,
    tokensBefore,
    tokensAfter,
    savedTokens: tokensBefore - tokensAfter,
    ...(details.summaryTokens === undefined ? {} : { summaryTokens: Math.round(details.summaryTokens * factor) }),
    untouchedTokens: details.untouchedTokens * factor,
    rewrittenTokens: details.rewrittenTokens * factor,
    forgotten: details.forgotten.map(sized),
    masked: details.masked.map((each) => ({ ...sized(each), tokensAfter: each.tokensAfter * factor })),
  };
}
