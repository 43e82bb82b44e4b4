import type { CreateEvent } from '@palimpsest/events';
import { newestStep, NoCondensationAvailableError, unitsOf } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import { createCondenser, defineCondenser } from '../authoring/definition/define-condenser.js';
import { defaultKeepFirst, optionsOf, roomBehindFirst, sizeOptions } from '../authoring/definition/option-schemas.js';
import type { SizeOptions } from '../authoring/definition/option-schemas.js';
import { requirementOf } from '../authoring/rolling/requirement.js';
import type { Requirement } from '../authoring/rolling/requirement.js';
import { rollingCondenser } from '../authoring/rolling/rolling-condenser.js';
import { forgetUnits, selectMiddle, tailForTokens } from '../authoring/rolling/selection.js';
import type { EventRange } from '../authoring/rolling/selection.js';

/** Options of {@link amortizedForgettingCondenser}. */
export interface AmortizedForgettingOptions extends SizeOptions {
  /** Creates the condensation. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

const name = 'amortizedForgetting';

/**
 * Forgets the middle of a history that has grown too long, without a summary. The first `keepFirst` events and the newest ones
 * stay. No model is called. Each condensation forgets half, so the provider's cached prefix holds for `maxSize / 2` events. More
 * than `maxSize` events is a soft trigger; too many tokens, or a request, is a hard one.
 *
 * Bound: `maxSize` events in what is sent, as far as there are cut points; after a condensation `floor(maxSize / 2)`, plus
 * protected events (at most three) and the rest of a unit or a newest step that cannot be cut.
 *
 * @throws {@link InvalidCondenserConfigError} when the numbers leave no room for one event behind the first ones; `condense`
 *   throws {@link NoCondensationAvailableError} when a condensation was requested and nothing may be forgotten.
 * @see AmortizedForgettingCondenser of OpenHands at d6fab190, without its faults: a request on a short view fails there
 */
export function amortizedForgettingCondenser(options: AmortizedForgettingOptions = {}): Condenser {
  return createCondenser(amortizedForgetting, options);
}

/** The definition of {@link amortizedForgettingCondenser}. */
export const amortizedForgetting = /* @__PURE__ */ defineCondenser({
  name,
  summary: 'forgets the middle of a history that is too long',
  options: /* @__PURE__ */ optionsOf(() => sizeOptions(2), /* @__PURE__ */ roomBehindFirst('an event')),
  create: ({ maxSize, keepFirst = defaultKeepFirst(maxSize, 'an event'), maxTokens }, { createEvent }) => {
    const forget = (view: View, selection: EventRange, requirement: Requirement) =>
      forgetUnits({
        view,
        units: unitsOf(view).filter(({ start, end }) => start >= selection.start && end <= selection.end),
        account: { condenser: name, reason: requirement.reasons.join(', '), tokenBudget: requirement.tokenBudget },
        createEvent,
      });
    return rollingCondenser({
      name,
      requirement: (view, context) => requirementOf(view, context, { maxSize, maxTokens }),
      getCondensation: (view, requirement) => {
        const selection = selectMiddle({
          length: view.events.length,
          cutPoints: view.cutPoints,
          keepFirst,
          tail: tailToKeep(view, requirement, { maxSize, keepFirst }),
        });
        if (selection === undefined) {
          throw new NoCondensationAvailableError(`of ${view.events.length} events too few may be forgotten`);
        }
        const end = Math.min(selection.end, newestStep(view).cutPoint);
        return forget(view, { start: selection.start, end }, requirement);
      },
      hardReset: (view, requirement) => {
        const end = newestStep(view).cutPoint;
        try {
          return forget(view, { start: view.cutPoints.atOrAfter(keepFirst) ?? end, end }, requirement);
        } catch (error) {
          if (!NoCondensationAvailableError.isInstance(error)) throw error;
          return forget(view, { start: 0, end }, requirement);
        }
      },
    });
  },
});

/** Returns the number of newest events that may stay, by the strictest of the reasons. No summary replaces the forgotten events. */
function tailToKeep(
  view: View,
  { reasons, tokenBudget = 0 }: Requirement,
  { maxSize, keepFirst }: { readonly maxSize: number; readonly keepFirst: number },
): number {
  const { length } = view.events;
  const tails = reasons.map((reason) => {
    switch (reason) {
      case 'events':
        return Math.floor(maxSize / 2) - keepFirst;
      case 'request':
        return Math.floor(Math.min(maxSize, length) / 2) - keepFirst;
      case 'tokens': {
        const excess = view.tokens() - Math.floor(tokenBudget / 2);
        return tailForTokens({ length, keepFirst, excess, tokens: (from, to) => view.tokens(from, to) });
      }
    }
  });
  return Math.min(length, ...tails);
}
