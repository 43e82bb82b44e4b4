import type { Event } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { condensation } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';

const keepFirst = 4;
const largest = 120;
const kept = 60;

/** What both condensers below give up: the events between the first few and the newest ones. */
function oldEvents(view: View): { readonly start: number; readonly end: number } | undefined {
  const { length } = view.events;
  return length > largest ? { start: keepFirst, end: length - kept } : undefined;
}

const textOf = (event: Event): string => JSON.stringify('content' in event ? event.content : event.type);

/**
 * Condensers that never change, so that what is measured of them can be compared with numbers that were computed by other means.
 */
export const fixedPolicies: Readonly<Record<string, (llm: LLM) => Condenser>> = {
  /** Drops old events. */
  drops: () => ({
    name: 'drops',
    condense: (view) => {
      const old = oldEvents(view);
      return old === undefined ? view : condensation({ view, ...old });
    },
  }),
  /** Drops old events for the summary of a model. */
  asks: (llm) => ({
    name: 'asks',
    condense: async (view) => {
      const old = oldEvents(view);
      if (old === undefined) return view;
      const text = [...view.events.slice(old.start, old.end)].map(textOf).join('\n');
      const { message } = await llm.complete({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] });
      const [answer] = message.content;
      return condensation({ view, ...old, summary: answer?.type === 'text' ? answer.text : '' });
    },
  }),
  /** Masks the results outside of the newest events, many at once; a stub repeats the first words. */
  masks: () => ({
    name: 'masks',
    condense: (view) => {
      const redactions: { eventId: string; text: string }[] = [];
      let saved = 0;
      for (let index = 0; index < view.events.length - 24; index++) {
        const event = view.events.at(index);
        if (event?.type !== 'observation' || event.redacted === true) continue;
        const [part] = event.content;
        const text = part?.type === 'text' ? part.text.slice(0, 120) : '';
        redactions.push({ eventId: event.id, text });
        saved += view.tokens(index, index + 1);
      }
      return saved < 8_000 ? view : condensation({ view, redactions });
    },
  }),
};
