import type { ToolCall } from '@palimpsest/events';
import type { KnownMessage } from './known-messages.js';
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
  /** Ids that go on from these. What they give from then on does not change these. */
  fork(): CallIds;
}

/**
 * Ids of letters, digits, `_` and `-`, at most `maxLength` characters, not used twice in a request: compatible servers count
 * from zero in each answer, and others refuse repeated ids. A valid, unused id stays unchanged. Any other id is replaced by one
 * that depends only on the messages before it, so that a longer request extends a shorter one.
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
export interface IdForm {
  readonly isSendable: (id: string) => boolean;
  /** Another id in place of one that cannot be sent. */
  readonly alias: (id: string) => string;
}

/** Ids of a form, not used twice in a request. */
export function distinctIds(form: IdForm): CallIds {
  return new DistinctIds(form, undefined);
}

class DistinctIds implements CallIds {
  readonly #form: IdForm;
  /** The ids that were given before the fork. They do not change any more, or this is not the one that is used. */
  readonly #before: DistinctIds | undefined;
  readonly #used = new Set<string>();
  /** By the id of a call: the sent ids of its newest calls that wait for a result; once none waits, that of the last one. */
  readonly #latest = new Map<string, readonly string[]>();

  constructor(form: IdForm, before: DistinctIds | undefined) {
    this.#form = form;
    this.#before = before;
  }

  ofCalls(calls: readonly ToolCall[]): readonly string[] {
    const sent = calls.map(({ id }) => {
      const one = this.#free(id);
      this.#used.add(one);
      return one;
    });
    calls.forEach(({ id }, index) => {
      const isFirst = calls.findIndex((call) => call.id === id) === index;
      const waiting = isFirst ? none : (this.#latest.get(id) ?? none);
      this.#latest.set(id, [...waiting, sent[index] ?? id]);
    });
    return sent;
  }

  ofResult(id: string): string {
    const [next, ...others] = this.#waitingFor(id) ?? [];
    if (next === undefined) return this.#form.isSendable(id) ? id : this.#form.alias(id);
    if (others.length > 0) this.#latest.set(id, others);
    return next;
  }

  fork(): CallIds {
    return new DistinctIds(this.#form, this);
  }

  #free(id: string): string {
    if (this.#form.isSendable(id) && !this.#isUsed(id)) return id;
    for (let occurrence = 1; ; occurrence++) {
      const alias = this.#form.alias(occurrence === 1 ? id : `${id}#${occurrence}`);
      if (!this.#isUsed(alias)) return alias;
    }
  }

  #isUsed(id: string): boolean {
    return this.#used.has(id) || (this.#before !== undefined && this.#before.#isUsed(id));
  }

  #waitingFor(id: string): readonly string[] | undefined {
    return this.#latest.get(id) ?? (this.#before === undefined ? undefined : this.#before.#waitingFor(id));
  }
}

const none: readonly string[] = [];

/** The ids under which a message is sent: those of its calls, or the one that its result answers. */
export function sentIdsOf(message: KnownMessage, ids: CallIds): readonly string[] {
  if (message.role === 'tool') return [ids.ofResult(message.toolCallId)];
  return message.role === 'assistant' && message.toolCalls !== undefined ? ids.ofCalls(message.toolCalls) : none;
}
