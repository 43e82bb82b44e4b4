import { addressOf } from '@palimpsest/events';
import type { LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { UsageError } from '../../usage-error.js';
import type { Choice } from '../../output/lines.js';
import { callOf, eventPhrase } from '../../output/phrases.js';
import { formatTokens } from '../../output/lines.js';

/** Those that can be named: messages and results, the newest first. A call is named by its result. */
export function nameableEvents({ events }: View): readonly LLMConvertibleEvent[] {
  return [...events].filter(({ type }) => type !== 'system-prompt' && type !== 'action').reverse();
}

/**
 * The event of a view that a person means: `last` (the newest result, or else the newest message), an address, an id, or the
 * beginning of either.
 *
 * @throws {@link UsageError} when nothing fits, what fits is hidden, or more than one fits.
 */
export function namedEvent(view: View, name: string): LLMConvertibleEvent {
  if (name === 'last') {
    const all = nameableEvents(view);
    const last = all.find(({ type }) => type === 'observation') ?? all[0];
    if (last === undefined) throw new UsageError('There is no message and no result yet.');
    return last;
  }
  const all = [...view.events];
  const fits = (of: (event: LLMConvertibleEvent) => string) => all.filter((event) => of(event).startsWith(name));
  const exact = all.find(({ id }) => id === name);
  const found =
    exact === undefined ? [...new Set([...fits(({ id }) => addressOf(id)), ...fits(({ id }) => id)])] : [exact];
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const hint = 'Without an argument a list is shown.';
  if (only !== undefined) throw new UsageError(`${found.length} events begin with '${name}': give more of it. ${hint}`);
  throw new UsageError(`The model sees no event '${name}' now. ${hint} /recall finds what is hidden.`);
}

/** An event of a view in a list. */
export function eventChoice(event: LLMConvertibleEvent, view: View): Choice {
  const index = view.indexOf(event.id) ?? 0;
  return {
    label: eventPhrase(event, callOf(event, view)),
    detail: `${addressOf(event.id)}, ${formatTokens(view.tokens(index, index + 1))}`,
    value: event.id,
  };
}
