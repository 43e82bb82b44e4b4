import type { ToolCall } from '@palimpsest/events';
import { answered, noteLatest } from '../wire/call-ids.js';
import type { CallIds } from '../wire/call-ids.js';
import { shortHash } from '../wire/short-hash.js';

/**
 * Ids of exactly nine letters and digits, not used twice in a request. A valid id stays unchanged; any other id becomes digits
 * of its hash, so that a longer request extends a shorter one.
 *
 * @see provider-rules D, Mistral
 */
export function mistralCallIds(): CallIds {
  const used = new Set<string>();
  const latest = new Map<string, string[]>();
  const free = (id: string): string => {
    if (isSendable(id) && !used.has(id)) return id;
    for (let occurrence = 1; ; occurrence++) {
      const alias = nineDigits(occurrence === 1 ? id : `${id}#${occurrence}`);
      if (!used.has(alias)) return alias;
    }
  };
  return {
    ofCalls: (calls: readonly ToolCall[]) => {
      const sent = calls.map(({ id }) => {
        const one = free(id);
        used.add(one);
        return one;
      });
      noteLatest(latest, calls, sent);
      return sent;
    },
    ofResult: (id) => answered(latest, id) ?? (isSendable(id) ? id : nineDigits(id)),
  };
}

function isSendable(id: string): boolean {
  return /^[a-zA-Z0-9]{9}$/.test(id);
}

function nineDigits(id: string): string {
  return shortHash(id).slice(0, 9);
}
