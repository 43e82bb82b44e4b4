import type { ToolCall } from '@palimpsest/events';
import { shortHash } from './short-hash.js';

/** Gives every call of a request an id that the provider accepts. Call it in the order of the messages. */
export interface CallIds {
  /** The ids of one assistant message's calls. */
  ofCalls(calls: readonly ToolCall[]): readonly string[];
  /**
   * The sent id of the call that a result answers; the result's own id if there is no such call. If calls of one message share
   * an id, the first result answers the first of them.
   */
  ofResult(toolCallId: string): string;
}

/**
 * Ids of letters, digits, `_` and `-`, at most `maxLength` characters, not used twice in a request: compatible servers count
 * from zero in each answer, and others refuse repeated ids. A valid, unused id stays unchanged. Any other id is replaced by one
 * that depends only on the messages before it, so that a longer request extends a shorter one.
 *
 * @see provider-rules A7 and B3
 */
export function callIds(options: { readonly maxLength: number }): CallIds {
  const used = new Set<string>();
  const latest = new Map<string, string[]>();
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
      const sent = calls.map(({ id }) => {
        const one = free(id);
        used.add(one);
        return one;
      });
      noteLatest(latest, calls, sent);
      return sent;
    },
    ofResult: (id) => answered(latest, id) ?? (sendable(id) ? id : `call_${shortHash(id)}`),
  };
}

/** Remembers the sent ids of a message's calls. */
export function noteLatest(
  latest: Map<string, string[]>,
  calls: readonly Pick<ToolCall, 'id'>[],
  sent: readonly string[],
): void {
  for (const { id } of calls) latest.set(id, []);
  calls.forEach(({ id }, index) => latest.get(id)?.push(sent[index] ?? id));
}

/** The sent id of the next call with this id that waits for its result; once none waits, the sent id of the last one. */
export function answered(latest: ReadonlyMap<string, string[]>, id: string): string | undefined {
  const waiting = latest.get(id);
  return waiting !== undefined && waiting.length > 1 ? waiting.shift() : waiting?.[0];
}
