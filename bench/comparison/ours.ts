import { noOpCondenser, pricedCondenser } from '@palimpsest/condensers';
import type { Event, Message } from '@palimpsest/events';
import { chatMessages, condensedHistory } from '@palimpsest/messages';
import type { Codec } from '@palimpsest/messages';
import { isCondensation, ViewProjection } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import type { Subject } from './compare.js';
import { never } from './histories.js';
import { textOf } from './text.js';

/** A host that holds messages of a kind: how one is made of a neutral one, and its codec. */
export interface Host<Held> {
  readonly name: string;
  readonly codec: Codec<Held>;
  messageOf(message: Message): Held;
}

/** A host of plain messages of Chat Completions. */
export const chat: Host<{ readonly role: string }> = { name: 'chat', codec: chatMessages(), messageOf: chatMessage };

function chatMessage(message: Message): { readonly role: string } {
  const content = textOf(message);
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, ...{ content } };
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ id, name, arguments: json }) => ({
        id,
        type: 'function',
        function: { name, arguments: json },
      }));
      return { role: 'assistant', ...{ content, ...(calls.length > 0 && { tool_calls: calls }) } };
    }
    case 'tool':
      return { role: 'tool', ...{ content, tool_call_id: message.toolCallId } };
  }
}

/** Policies of a fit that condense nothing: one that does not ask, and one to which reading is free, so that nothing pays. */
export const idle = {
  nothing: () => noOpCondenser(),
  'priced, none due': () => pricedCondenser({ prices: { read: 0, write: 1.25 } }),
} as const;

/**
 * Fits a host's list that grows before each request, and reads the sizes.
 *
 * @param fittedBefore the list was fitted before the first step; without, the first step reads all of it
 */
export function fitting<Held>(
  { name, codec, messageOf }: Host<Held>,
  policy: string,
  create: () => Condenser,
  { fittedBefore = false }: { fittedBefore?: boolean } = {},
): Subject {
  return {
    name: `palimpsest fit, ${name}, ${policy}`,
    async begin({ start }) {
      const list = start.messages.map(messageOf);
      const history = condensedHistory({ codec, condenser: create(), contextWindow: never });
      if (fittedBefore) await history.fit(list);
      return async ({ messages }) => {
        list.push(...messages.map(messageOf));
        const fitted = await history.fit(list);
        if (fitted.problem !== undefined) throw fitted.problem;
        return [fitted.messages, fitted.tokensBefore, fitted.tokensAfter];
      };
    },
  };
}

/**
 * Returns a subject that keeps the log itself, as an agent does. A step is the fold of the new events, view, decision, its
 * condensation where there is one, and the messages.
 *
 * @param decidedBefore the condenser has decided at each step of the history, not only at those that are measured
 */
export function keptLog(
  name: string,
  create: () => Condenser,
  { decidedBefore = false }: { decidedBefore?: boolean } = {},
): Subject {
  return {
    name: `palimpsest, a kept log, ${name}`,
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
      projection.view.toMessages();
      return async ({ events }) => {
        take(events);
        const result = await condenser.condense(projection.view, { report: () => {} });
        if (isCondensation(result)) projection.append(result);
        return (isCondensation(result) ? projection.view : result).toMessages();
      };
    },
  };
}

/** Returns fits of a host under each policy that condenses nothing. */
export function idleFits<Held>(host: Host<Held>): readonly Subject[] {
  return Object.entries(idle).map(([policy, create]) => fitting(host, policy, create));
}
