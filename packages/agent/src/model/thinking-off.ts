import type { CreateEvent, Event } from '@palimpsest/events';

const key = 'thinking';

/** The record that a provider refused the history with its thinking, and accepted it without. */
export function thinkingOff(reason: string, createEvent: CreateEvent): Event {
  return createEvent('conversation-state-update', { key, value: { mode: 'none', reason } });
}

/** Whether an event is that record: the history is sent without thinking from then on. */
export function turnsThinkingOff(event: Event): boolean {
  if (event.type !== 'conversation-state-update' || event.key !== key) return false;
  return (event.value as { readonly mode?: unknown } | null)?.mode === 'none';
}
