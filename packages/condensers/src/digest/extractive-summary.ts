import type { CreateEvent } from '@palimpsest/events';
import type { Condenser } from '@palimpsest/view';
import * as z from 'zod/mini';
import { createCondenser, defineCondenser } from '../authoring/definition/define-condenser.js';
import {
  defaultKeepFirst,
  optionsOf,
  roomBehindFirst,
  sizeOptions,
  wholeNumber,
} from '../authoring/definition/option-schemas.js';
import type { SizeOptions } from '../authoring/definition/option-schemas.js';
import { rollingSummary } from './rolling-summary.js';

/** Options of {@link extractiveSummaryCondenser}. */
export interface ExtractiveSummaryOptions extends SizeOptions {
  /** The maximum length of the facts in a summary. Unit: tokens. @defaultValue 3000 */
  readonly maxSummaryTokens?: number | undefined;
  /**
   * The maximum length of the user's words besides. Messages that fit stand there word for word through any number of condensations; the
   * longest are cut in the middle, with the address of the original. Unit: tokens. @defaultValue two thirds of `maxSummaryTokens`
   */
  readonly maxUserWordTokens?: number | undefined;
  /**
   * The size to which the view is condensed, without what is sent beside it, what always stays, and the user's words. Unit: tokens, as the
   * provider counts. @defaultValue half of the limit that was exceeded
   */
  readonly targetTokens?: number | undefined;
  /** Creates the condensation. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

/**
 * Returns the condenser of a rolling summary without a model: a list of facts replaces the middle of the history. It is {@link
 * digestCondenser} without the digest. The first `keepFirst` events, the newest events and the whole newest step stay.
 *
 * The list has, as recorded in the log: the user's messages, the ids of what still runs, open tasks, the summaries of other condensers, how
 * the agent's turns ended and what the user answered, files created, modified and deleted, failing tests, errors, commands with their exit
 * status, other calls, identifiers, files only read, calls that only looked, and the agent's last message. When space is short, the entries
 * at the end of this list are dropped first, and within a kind the oldest. The text of an earlier summary is not read again: its facts are in
 * the metadata of its condensation.
 *
 * Bound: `maxSize` events in what is sent, as far as there are cut points; after a condensation `floor(maxSize / 2)`, plus protected events
 * and the rest of a unit or a newest step that cannot be cut.
 *
 * @throws {@link InvalidCondenserConfigError} when the numbers leave no room for a summary and one event behind it; `condense`
 *   throws {@link NoCondensationAvailableError} when a condensation was requested and forgetting would not make the view smaller.
 *   Over the budget without a request it reports the failure and returns the view.
 * @see LLMSummarizingCondenser of OpenHands' software-agent-sdk at 611629e6 for the triggers and the selection
 */
export function extractiveSummaryCondenser(options: ExtractiveSummaryOptions = {}): Condenser {
  return createCondenser(extractiveSummary, options);
}

/** The definition of {@link extractiveSummaryCondenser}. */
export const extractiveSummary = /* @__PURE__ */ defineCondenser({
  name: 'extractiveSummary',
  summary: 'replaces the middle by a list of what it did, written without a model',
  options: /* @__PURE__ */ optionsOf(
    () => ({
      ...sizeOptions(4),
      maxSummaryTokens: z._default(wholeNumber(1), 3_000),
      maxUserWordTokens: z.optional(wholeNumber(0)),
      targetTokens: z.optional(wholeNumber(1)),
    }),
    /* @__PURE__ */ roomBehindFirst('a summary and an event'),
  ),
  create: ({ maxSize, maxTokens, keepFirst, maxSummaryTokens, maxUserWordTokens, targetTokens }, { createEvent }) =>
    rollingSummary({
      name: 'extractiveSummary',
      maxSize,
      maxTokens,
      keepFirst: keepFirst ?? defaultKeepFirst(maxSize, 'a summary and an event'),
      targetTokens,
      maxFactTokens: maxSummaryTokens,
      maxUserWordTokens: maxUserWordTokens ?? Math.floor((maxSummaryTokens * 2) / 3),
      maxLineTokens: 0,
      createEvent,
    }),
});
