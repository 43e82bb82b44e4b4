/** The wishes of the user for a conversation. */
export interface Orders {
  /** No new condensation is made. */
  readonly isPaused: boolean;
  /** The id of a condensation that is to be taken back. @defaultValue none */
  readonly undo?: string | undefined;
}

/** A place where the user's orders are found, so that another process can give them. */
export interface OrderBook {
  of(conversation: string): Promise<Orders>;
  /** Notes that a condensation was taken back. */
  undone(conversation: string): Promise<void>;
}

/** An order book in which nothing stands. */
export const noOrders: OrderBook = {
  of: () => Promise.resolve({ isPaused: false }),
  undone: () => Promise.resolve(),
};
