import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { View } from '../src/index.js';
import type { ThinkingMode } from '../src/index.js';

// For the tests of the rows of the view's rules.

export const thinkingBlocks = [{ type: 'thinking', thinking: 'T', signature: 's' }] as const;

export function viewOf(log: { readonly events: readonly Event[] }, thinking: ThinkingMode = 'prefix-bound'): View {
  return View.fromEvents(log.events, { thinking });
}

export const idsOf = (view: View): readonly string[] => [...view.events].map(({ id }) => id);
export const notesOf = (view: View): readonly string[] => [...view.notes].map(({ note }) => note);

/** `event-1` user, `event-2` and `event-3` a call and its result, `event-4` user. */
export function shortLog(): LogBuilder {
  const log = logBuilder();
  log.user('Go.');
  log.call('run');
  log.user('And?');
  return log;
}
