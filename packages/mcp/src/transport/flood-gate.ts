/** What a server may send unasked: a stock that is used up by messages and fills again with time. */
export class FloodGate {
  readonly #most: number;
  readonly #perSecond: number;
  readonly #now: () => number;
  #stock: number;
  #at: number;

  /**
   * @param most - the stock when it is full
   * @param perSecond - how fast it fills
   * @param now - Unit: milliseconds. @defaultValue the clock of the process
   */
  constructor(most: number, perSecond: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#perSecond = perSecond;
    this.#now = now;
    this.#stock = most;
    this.#at = now();
  }

  /** Takes from the stock. False if there is not enough. */
  take(amount: number): boolean {
    const at = this.#now();
    this.#stock = Math.min(this.#most, this.#stock + ((at - this.#at) / 1000) * this.#perSecond);
    this.#at = at;
    this.#stock -= amount;
    return this.#stock >= 0;
  }
}
