import type { ToolCall } from '@palimpsest/events';
import { shortHash } from './short-hash.js';

/** Gives every call of a request an id that the provider takes. Ask in the order of the messages. */
export interface CallIds {
  /** The ids of one assistant message's calls. */
  ofCalls(calls: readonly ToolCall[]): readonly string[];
  /** The id under which the call that a result answers was sent; the result's own where there was no such call. */
  ofResult(toolCallId: string): string;
}

/**
 * Ids of letters, digits, `_` and `-`, at most `maxLength` characters, not used twice in a request: compatible servers count
 * from zero again in each answer, and others refuse that. An id that can be sent stays as it is. Any other gets one that
 * depends on nothing but what stands before it, so that a longer request extends a shorter one.
 *
 * Two calls of one message with one id keep sharing it: that list is broken, and what is broken is for the provider to say.
 *
 * @see provider-protocol rules A7 and B3
 */
export function callIds(options: { readonly maxLength: number }): CallIds {
  const used = new Set<string>();
  const latest = new Map<string, string>();
  const sendable = (id: string) => id.length <= options.maxLength && /^[a-zA-Z0-9_-]+$/.test(id);

  const free = (id: string): string => {
    if (sendable(id) && !used.has(id)) return id;
    for (let occurrence = 1; ; occurrence++) {
      const alias = `call_${shortHash(occurrence === 1 ? id : `${id}#${occurrence}`)}`;
      if (!used.has(alias)) return alias;
    }
  };

  return {
    ofCalls: (calls) => {
      const ofMessage = new Map<string, string>();
      for (const { id } of calls) if (!ofMessage.has(id)) ofMessage.set(id, free(id));
      for (const [id, sent] of ofMessage) {
        used.add(sent);
        latest.set(id, sent);
      }
      return calls.map(({ id }) => ofMessage.get(id) ?? id);
    },
    ofResult: (id) => latest.get(id) ?? (sendable(id) ? id : `call_${shortHash(id)}`),
  };
}
