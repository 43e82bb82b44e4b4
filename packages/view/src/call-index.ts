import type { ActionEvent } from '@palimpsest/events';
import { callAlias, isSendableCallId } from './call-alias.js';

/** The fields of a call that the index reads and writes. */
interface IndexedCall {
  readonly action: ActionEvent;
  /** The call repeats the id of an open call. */
  readonly repeated: boolean;
  sentId: string | undefined;
}

/**
 * The calls of a log by their ids, and the ids under which they are sent. Most calls are answered immediately and need no
 * look-up, so the index is built lazily: by the first look-up of an older call or of a sent id.
 */
export class CallIndex<Call extends IndexedCall> {
  readonly #latest = new Map<string, Call>();
  #new: Call[] = [];

  /** Adds the next call of the log. */
  push(call: Call): void {
    this.#new.push(call);
  }

  /** The latest call with this id that is not the repetition of an open one. */
  latest(toolCallId: string): Call | undefined {
    this.#takeIn();
    return this.#latest.get(toolCallId);
  }

  /** The id under which a call of this index is sent: its own id, or an alias if the id is taken or providers refuse it. */
  sentIdOf(call: Call): string {
    if (call.sentId === undefined) this.#takeIn();
    return call.sentId ?? call.action.toolCall.id;
  }

  #takeIn(): void {
    if (this.#new.length === 0) return;
    for (const call of this.#new) {
      const { id } = call.action.toolCall;
      const asIs = isSendableCallId(id) && !this.#latest.has(id);
      call.sentId = asIs ? id : callAlias(call.action.id);
      if (!call.repeated) this.#latest.set(id, call);
    }
    this.#new = [];
  }
}
