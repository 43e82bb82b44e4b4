import type { Message, ToolCall } from '@palimpsest/events';

/** The ids of a request's calls, in a form that the provider accepts. Call it in the order of the messages. */
export interface CallIds {
  /** Returns the ids of one assistant message's calls. */
  ofCalls(calls: readonly ToolCall[]): readonly string[];
  /**
   * Returns the sent id of the call that a result answers; the result's own id if there is no such call. If calls of
   * one message share an id, the first result answers the first of them.
   */
  ofResult(toolCallId: string): string;
}

/**
 * Ids of letters, digits, `_` and `-`, at most `maxLength` characters, not used twice in a request: compatible servers
 * count from zero in each answer, and others refuse repeated ids. A valid, unused id stays unchanged. Any other id is
 * replaced by one that depends only on the messages before it, so that a longer request extends a shorter one.
 *
 * @see provider-rules A7 and B3
 */
export function callIds(options: { readonly maxLength: number }): CallIds {
  return distinctIds({
    isSendable: (id) => id.length <= options.maxLength && /^[a-zA-Z0-9_-]+$/.test(id),
    alias: (id) => `call_${shortHash(id)}`,
  });
}

/** The form of the ids that a provider accepts. */
interface IdForm {
  readonly isSendable: (id: string) => boolean;
  /** Another id in place of one that cannot be sent. */
  readonly alias: (id: string) => string;
}

/** Ids of a form, not used twice in a request. */
export function distinctIds({ isSendable, alias }: IdForm): CallIds {
  const used = new Set<string>();
  /**
   * By the id of a call that was not sent as it is: the sent ids of its newest calls that wait for a result. Once none waits,
   * that of the last one.
   */
  const latest = new Map<string, readonly string[]>();
  const free = (id: string): string => {
    if (isSendable(id) && !used.has(id)) return id;
    for (let occurrence = 1; ; occurrence++) {
      const other = alias(occurrence === 1 ? id : `${id}#${occurrence}`);
      if (!used.has(other)) return other;
    }
  };
  return {
    ofCalls: (calls) => {
      const sent = calls.map(({ id }) => {
        const one = free(id);
        used.add(one);
        return one;
      });
      if (isSame(sent, calls)) return sent;
      calls.forEach(({ id }, index) => {
        const isFirst = calls.findIndex((call) => call.id === id) === index;
        const waiting = isFirst ? none : (latest.get(id) ?? none);
        latest.set(id, [...waiting, sent[index] ?? id]);
      });
      return sent;
    },
    ofResult: (id) => {
      const [next, ...others] = latest.get(id) ?? none;
      if (next === undefined) return isSendable(id) ? id : alias(id);
      if (others.length > 0) latest.set(id, others);
      return next;
    },
  };
}

const none: readonly string[] = [];

/**
 * Returns the ids under which a message is sent, those of its calls, or the one that its result answers. None if they are its
 * own.
 */
export function sentIdsOf(message: Message, ids: CallIds): readonly string[] {
  if (message.role === 'tool') {
    const sent = ids.ofResult(message.toolCallId);
    return sent === message.toolCallId ? none : [sent];
  }
  if (message.role !== 'assistant' || message.toolCalls === undefined) return none;
  const sent = ids.ofCalls(message.toolCalls);
  return isSame(sent, message.toolCalls) ? none : sent;
}

function isSame(ids: readonly string[], calls: readonly ToolCall[]): boolean {
  return calls.every(({ id }, index) => id === ids[index]);
}

const offsetBasis = 0xcbf29ce484222325n;
const prime = 0x100000001b3n;

/**
 * Returns 64 bits of a text as 16 hexadecimal digits, always the same for the same text. Not for secrets.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9923 | FNV-1a}
 */
export function shortHash(text: string): string {
  let hash = offsetBasis;
  // UTF-8 encodes all lone surrogates alike; escaping keeps them distinct.
  const sound = text.isWellFormed() ? text : JSON.stringify(text);
  for (const byte of new TextEncoder().encode(sound)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * prime);
  return hash.toString(16).padStart(16, '0');
}
