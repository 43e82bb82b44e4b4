import { toMessagesRequest } from '@palimpsest/llm-adapters/anthropic';
import { toChatCompletionsRequest, toResponsesRequest } from '@palimpsest/llm-adapters/openai';
import type { Event, Message } from '@palimpsest/events';
import { isCondensation, ViewProjection } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import type { Subject } from './compare.js';

/**
 * Fold of the new events, view, decision, its condensation where there is one, and the messages; then perhaps a body of them.
 *
 * @param decidedBefore the condenser has decided at each step of the history, not only at those that are measured
 */
export function ours(
  name: string,
  create: () => Condenser,
  { body, decidedBefore = false }: { body?: (messages: readonly Message[]) => unknown; decidedBefore?: boolean } = {},
): Subject {
  return {
    name: `palimpsest ${name}`,
    async begin({ start }) {
      const projection = new ViewProjection();
      const condenser = create();
      const take = (events: readonly Event[]) => {
        for (const event of events) projection.append(event);
      };
      for (const [index, event] of start.events.entries()) {
        projection.append(event);
        // A step appends a call and its result.
        if (index % 2 === 0 || !decidedBefore) continue;
        const result = await condenser.condense(projection.view, { report: () => {} });
        if (isCondensation(result)) projection.append(result);
      }
      const first = projection.view.toMessages();
      body?.(first);
      return async ({ events }) => {
        take(events);
        const result = await condenser.condense(projection.view, { report: () => {} });
        if (isCondensation(result)) projection.append(result);
        const messages = (isCondensation(result) ? projection.view : result).toMessages();
        return body === undefined ? messages : body(messages);
      };
    },
  };
}

/** The same from nothing at each step: the whole log is folded, as when a process takes a conversation up again. */
export function oursFromNothing(name: string, create: () => Condenser): Subject {
  return {
    name: `palimpsest ${name}, everything from the start`,
    mostSteps: 3,
    begin({ start }) {
      const condenser = create();
      const log: Event[] = [...start.events];
      return async ({ events }) => {
        log.push(...events);
        const projection = new ViewProjection();
        for (const event of log) projection.append(event);
        const result = await condenser.condense(projection.view, { report: () => {} });
        if (isCondensation(result)) projection.append(result);
        return (isCondensation(result) ? projection.view : result).toMessages();
      };
    },
  };
}

/** The body of the next request to each provider. */
export const bodies: Readonly<Record<string, (messages: readonly Message[]) => unknown>> = {
  'body for Anthropic': (messages) => toMessagesRequest({ messages }, { model: 'claude-opus-4-5' }),
  'body for Chat Completions': (messages) => toChatCompletionsRequest({ messages }, { model: 'gpt-5.6' }),
  'body for Responses': (messages) => toResponsesRequest({ messages }, { model: 'gpt-5.6' }),
};
