import type { ToolCall } from '@palimpsest/events';
import { shortHash } from './short-hash.js';

/** Gives every call of a request an id that the provider takes. Ask in the order of the messages. */
export interface CallIds {
  /** The ids of one assistant message's calls. */
  ofCalls(calls: readonly ToolCall[]): readonly string[];
  /**
   * The id under which the call that a result answers was sent; the result's own where there was no such call. Where calls of
   * one message share an id, the first result answers the first of them.
   */
  ofResult(toolCallId: string): string;
}

/**
 * Ids of letters, digits, `_` and `-`, at most `maxLength` characters, not used twice in a request: compatible servers count
 * from zero again in each answer, and others refuse that. An id that can be sent stays as it is. Any other gets one that
 * depends on nothing but what stands before it, so that a longer request extends a shorter one.
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

/** Remembers under which ids the calls of a message were sent. */
export function noteLatest(
  latest: Map<string, string[]>,
  calls: readonly Pick<ToolCall, 'id'>[],
  sent: readonly string[],
): void {
  for (const { id } of calls) latest.set(id, []);
  calls.forEach(({ id }, index) => latest.get(id)?.push(sent[index] ?? id));
}

/** The id under which the next call of this id was sent that waits for its result; the last one answers for all that follow. */
export function answered(latest: ReadonlyMap<string, string[]>, id: string): string | undefined {
  const waiting = latest.get(id);
  return waiting !== undefined && waiting.length > 1 ? waiting.shift() : waiting?.[0];
}
