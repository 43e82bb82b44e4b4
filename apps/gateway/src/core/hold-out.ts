import type { HoldOutReceipt } from '../receipts/receipt.js';
import type { ConversationNames } from './conversation-name.js';

/** Sessions are remembered up to so many conversations. One that is forgotten is drawn again, alike. */
const most = 10_000;

/** Draws the sessions that pass unchanged. The name decides, so that a restart and a sub-agent draw the same. */
export class HoldOut {
  readonly #share: number;
  /** Of each conversation, by its id. */
  readonly #decided = new Map<string, boolean>();

  /** @param share - of all sessions: 0.1 is one in ten */
  constructor(share: number) {
    this.#share = share;
  }

  /**
   * Returns the place of a conversation. One that is in the midst of its work when it is first seen here is not held out if it may have been
   * condensed before: it would lose what is in force.
   *
   * @param mayBeCondensed - is asked of a conversation that has begun before
   */
  async of(
    { id, session }: ConversationNames,
    isFirst: boolean,
    mayBeCondensed: () => Promise<boolean>,
  ): Promise<HoldOutReceipt> {
    const isHeldOut = this.#decided.get(id) ?? (this.#isDrawn(session) && (isFirst || !(await mayBeCondensed())));
    this.#decided.set(id, isHeldOut);
    const [oldest = ''] = this.#decided.keys();
    if (this.#decided.size > most) this.#decided.delete(oldest);
    return { isHeldOut, session };
  }

  /** Names are digests: as good as drawn. */
  #isDrawn(session: string): boolean {
    return Number.parseInt(session, 16) / 16 ** session.length < this.#share;
  }
}
