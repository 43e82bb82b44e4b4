// Taken at load, and no timer where there is a channel: timers that a host fakes never fire by themselves, and a fit would hang.
const { MessageChannel, setTimeout } = globalThis;
const now = performance.now.bind(performance);

/** The longest work before others have their turn. Unit: milliseconds. */
const longestMs = 8;
/** Asking for the time costs something too. Unit: messages. */
const between = 64;

/** Gives other work of the process its turn while a long list is read. */
export class Breath {
  #since = now();
  #count = 0;

  /** Returns true if it is time for others. Asked once for each message. */
  isDue(): boolean {
    return ++this.#count % between === 0 && now() - this.#since >= longestMs;
  }

  async take(): Promise<void> {
    await new Promise<void>(soon);
    this.#since = now();
  }
}

function soon(then: () => void): void {
  if (typeof MessageChannel !== 'function') {
    setTimeout(then, 0);
    return;
  }
  const { port1, port2 } = new MessageChannel();
  const heard = (): void => {
    port1.close();
    then();
  };
  port1.addEventListener('message', heard, { once: true });
  port1.start();
  port2.postMessage(undefined);
}
