import { isToolResult } from '@palimpsest/events';
import type { Event, EventId, ToolContext } from '@palimpsest/events';
import { View, isCondensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { relevanceDirectives } from '../directive.js';
import { neutralizedCopy } from '../labels.js';
import { originalOf, wholeOutputOf } from './originals.js';
import type { hiddenReasons } from './recall.prompt.js';

/** Why the model does not see a text. */
export type HiddenReason = keyof typeof hiddenReasons;

/** A log, as a tool is given it. */
export type HiddenLog = Pick<ToolContext, 'log' | 'event' | 'signal'>;

/** What of a log the model does not see. */
export interface HiddenEvents {
  /** The view as the model reads it. */
  readonly view: View;
  /** Why an event is hidden; undefined if the model sees it. */
  reasonOf(event: Event): HiddenReason | undefined;
}

/**
 * Finds out what a model does not see of a log: it folds the log and shows the view to the condenser as a preview, which calls no
 * model and appends nothing. Without a condenser, what a condenser hides in the view alone is not known. A condenser that fails
 * counts as none. Targets of directives count as hidden, because a directive may take effect at the next call.
 */
export async function hiddenEvents(context: HiddenLog, condenser: Condenser | undefined): Promise<HiddenEvents> {
  const stored = View.fromEvents(context.log);
  const view = condenser === undefined ? stored : await preview(stored, condenser, context);
  const dismissed = new Set<EventId>(relevanceDirectives(stored).map(({ targetEventId }) => targetEventId));
  return { view, reasonOf: (event) => reasonIn(view, event, dismissed, context) };
}

async function preview(stored: View, condenser: Condenser, { signal }: HiddenLog): Promise<View> {
  try {
    const result = await condenser.condense(stored, { preview: true, signal });
    return isCondensation(result) ? stored : result;
  } catch {
    return stored;
  }
}

function reasonIn(
  view: View,
  event: Event,
  dismissed: ReadonlySet<EventId>,
  context: HiddenLog,
): HiddenReason | undefined {
  const id = event.type === 'condensation' ? summaryIdOf(view, event.id) : event.id;
  const index = id === undefined ? undefined : view.indexOf(id);
  const shown = index === undefined ? undefined : view.events.at(index);
  if (shown === undefined) return 'forgotten';
  if (event.type !== 'condensation' && isChanged(shown, event)) return dismissed.has(event.id) ? 'dismissed' : 'masked';
  if (dismissed.has(event.id)) return 'dismissed';
  if (view.leftOut.has(shown.id)) return 'not-sent';
  return isToolResult(event) && wholeOutputOf(event, (id) => context.event(id)) !== undefined ? 'in-part' : undefined;
}

/** The event in a view that shows a condensation's summary. */
function summaryIdOf(view: View, condensationId: EventId): EventId | undefined {
  for (const event of view.events) {
    if (event.type === 'condensation-summary' && event.condensationId === condensationId) return event.id;
  }
  return undefined;
}

/** Whether a copy says something else than the logged event, apart from neutralised labels. */
function isChanged(shown: Event, logged: Event): boolean {
  if (shown === logged) return false;
  const none = (): undefined => undefined;
  const expected = isToolResult(logged) ? (neutralizedCopy(logged) ?? logged) : logged;
  const text = (event: Event): string | undefined => originalOf(event, none)?.text;
  return text(shown) !== text(logged) && text(shown) !== text(expected);
}
