import { isUserMessage } from '@palimpsest/events';
import type { CreateEvent, LLMConvertibleEvent } from '@palimpsest/events';
import { newestStep, unitsOf } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import { defineCondenser } from '../authoring/definition/define-condenser.js';
import { optionsOf } from '../authoring/definition/option-schemas.js';
import { assertOptionsObject } from '../authoring/definition/options.js';
import type { Requirement } from '../authoring/rolling/requirement.js';
import { rollingCondenser } from '../authoring/rolling/rolling-condenser.js';
import { forgetUnits } from '../authoring/rolling/selection.js';

/** Options of {@link conversationWindowCondenser}. */
export interface ConversationWindowOptions {
  /** Creates the condensation. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

/** The events that a conversation window keeps. */
export interface ConversationWindow {
  /**
   * The indices of the essential events: the first system prompt, the user's first message, and the framework's events right
   * after it.
   */
  readonly essential: ReadonlySet<number>;
  /** The index at which the newer half begins: a cut point. */
  readonly start: number;
}

/**
 * Forgets the older half of a conversation on request only. It is for a host that condenses only when a provider refuses a
 * request as too long. No model is called and no summary is written; existing summaries stay.
 *
 * The essential events stay: the first system prompt, the first message of the user, and the framework's events right after it.
 * Of the rest the newer half stays, from the next cut point on, so that no batch is split. Protected events and the newest step
 * stay too. Each further request halves the rest again.
 *
 * Bound: none; it acts only on requests.
 *
 * @throws `condense` throws {@link NoCondensationAvailableError} when nothing is left to forget.
 * @see ConversationWindowCondenser of OpenHands at d6fab190, without its faults: it forgets the user's latest message, splits
 *   parallel batches, forgets the newest step if only that is left, and forgets nothing if there is no user message
 */
export function conversationWindowCondenser(options: ConversationWindowOptions = {}): Condenser {
  assertOptionsObject('conversationWindow', options);
  const { createEvent, ...others } = options;
  return conversationWindow.create(others, { createEvent });
}

/** The definition of {@link conversationWindowCondenser}. */
export const conversationWindow = /* @__PURE__ */ defineCondenser({
  name: 'conversationWindow',
  summary: 'forgets the older half of the conversation, on a request alone',
  options: /* @__PURE__ */ optionsOf(() => ({})),
  create: (_, { createEvent }) =>
    rollingCondenser({
      name: 'conversationWindow',
      requirement: requestAlone,
      getCondensation: (view) => {
        const { essential, start } = selectConversationWindow(view);
        const end = Math.min(start, newestStep(view).cutPoint);
        return forgetUnits({
          view,
          units: unitsOf(view).filter((unit) => unit.end <= end),
          stays: (index) => essential.has(index) || view.events.at(index)?.type === 'condensation-summary',
          account: { condenser: 'conversationWindow', reason: 'request' },
          createEvent,
        });
      },
    }),
});

function requestAlone({ unhandledCondensationRequest }: View): Requirement {
  return unhandledCondensationRequest
    ? { level: 'hard', reasons: ['request'], tokenBudget: undefined }
    : { level: 'none', reasons: [], tokenBudget: undefined };
}

/**
 * Selects the conversation window, before protection: the newer half of the non-essential events, at least one event, from the
 * next cut point on. If that half begins inside a batch, the whole batch is forgotten, even if nothing is left then.
 */
export function selectConversationWindow({
  events,
  cutPoints,
}: Pick<View, 'events' | 'cutPoints'>): ConversationWindow {
  const all = events.slice();
  const essential = new Set<number>();
  const system = all.findIndex(({ type }) => type === 'system-prompt');
  if (system >= 0) essential.add(system);
  const user = all.findIndex(isUserMessage);
  if (user >= 0) {
    essential.add(user);
    for (let index = user + 1; isFramework(all[index]); index++) essential.add(index);
  }
  const recent = Math.max(1, Math.floor((all.length - essential.size) / 2));
  const wanted = Math.max(0, all.length - recent);
  return { essential, start: cutPoints.atOrAfter(wanted) ?? all.length };
}

function isFramework(event: LLMConvertibleEvent | undefined): boolean {
  return event?.type === 'message' && event.source !== 'user' && event.source !== 'agent' && event.role === 'user';
}
