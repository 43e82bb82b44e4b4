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

/** Options of {@link digestCondenser}. */
export interface DigestOptions extends SizeOptions {
  /**
   * The size to which the view is condensed, without what is sent beside it and what always stays. The newest events stay, as many as fit
   * beside the facts and the lines. The user's words add a third to it at most. As a stage of `pricedCondenser` it leaves a view
   * within the target alone, unless the view is too large for the window, or on a request. Unit: tokens, as the provider counts.
   * @defaultValue 12000
   */
  readonly targetTokens?: number | undefined;
  /** Of it, for facts: files changed, commands, errors, open tasks. Unit: tokens. @defaultValue 1200 */
  readonly maxFactTokens?: number | undefined;
  /** Of it, for the digest: paths, and lines of earlier results and edits. Unit: tokens. @defaultValue 7500 */
  readonly maxLineTokens?: number | undefined;
  /** Creates the condensation. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

/** The part of the target that the user's words may take besides. */
const shareOfUserWords = 1 / 3;

/**
 * Returns the condenser that keeps the newest steps, the user's words, facts, and a digest of all that is hidden, without a model. More than
 * `maxSize` events is a soft trigger; too many tokens, or a request, is a hard one.
 *
 * - The newest steps stay whole.
 * - The user's messages stay word for word while they take no more than a third of the target; beyond that the longest are cut in the
 *   middle.
 * - The facts list what was done: files changed, commands with their status, errors, open tasks, ids of what runs.
 * - The digest lists paths, then distinct lines of results and of the agent's own edits, lines seen twice first. A line that a later edit
 *   took from its file is not shown.
 *
 * All are read from the log, never from an earlier summary, so nothing decays from one condensation to the next.
 *
 * @throws {@link InvalidCondenserConfigError} when the numbers leave no room; `condense` throws {@link NoCondensationAvailableError} when a
 *   condensation was requested and forgetting would not make the view smaller.
 */
export function digestCondenser(options: DigestOptions = {}): Condenser {
  return createCondenser(digest, options);
}

/** The definition of {@link digestCondenser}. */
export const digest = /* @__PURE__ */ defineCondenser({
  name: 'digest',
  summary: 'keeps the newest steps, the user’s words, facts, and the lines that may be needed again, without a model',
  options: /* @__PURE__ */ optionsOf(
    () => ({
      ...sizeOptions(4),
      targetTokens: z._default(wholeNumber(1), 12_000),
      maxFactTokens: z._default(wholeNumber(1), 1_200),
      maxLineTokens: z._default(wholeNumber(0), 7_500),
    }),
    /* @__PURE__ */ roomBehindFirst('a summary and an event'),
  ),
  create: ({ keepFirst, ...options }, { createEvent }) =>
    rollingSummary({
      ...options,
      name: 'digest',
      maxUserWordTokens: Math.floor(options.targetTokens * shareOfUserWords),
      maxTokens: options.maxTokens,
      keepFirst: keepFirst ?? defaultKeepFirst(options.maxSize, 'a summary and an event'),
      createEvent,
    }),
});
