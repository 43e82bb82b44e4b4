import type { CreateEvent, Event } from '@palimpsest/events';

const key = 'thinking';

/** The record that a provider refused the history with its thinking, and took it without. */
export function thinkingOff(reason: string, createEvent: CreateEvent): Event {
  return createEvent('conversation-state-update', { key, value: { mode: 'none', reason } });
}

/** True for that record: from then on the history is sent without thinking. */
export function turnsThinkingOff(event: Event): boolean {
  if (event.type !== 'conversation-state-update' || event.key !== key) return false;
  return (event.value as { readonly mode?: unknown } | null)?.mode === 'none';
}
