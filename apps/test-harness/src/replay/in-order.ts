/** Options of {@link inOrder}. */
export interface InOrderOptions {
  /** How many items are worked on at the same time. */
  readonly atOnce: number;
  /** When it is aborted no more items are taken, and those that are not done are left out. */
  readonly signal?: AbortSignal | undefined;
}

type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

/** Works on several items at the same time, and yields the results in the order of the items. The first error ends it. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
  { atOnce, signal }: InOrderOptions,
): AsyncGenerator<Result> {
  const begun: { outcome?: Outcome<Result>; readonly done: Promise<unknown> }[] = [];
  const aborted = new Promise<void>((resolve) => {
    if (signal?.aborted === true) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
  const isAborted = (): boolean => signal?.aborted === true;
  const working = () => begun.filter(({ outcome }) => outcome === undefined).map(({ done }) => done);
  function* finished(): Generator<Result> {
    for (let first = begun[0]; first?.outcome !== undefined; first = begun[0]) {
      if ('error' in first.outcome) throw first.outcome.error;
      yield first.outcome.result;
      begun.shift();
    }
  }

  try {
    for await (const item of items) {
      if (isAborted()) break;
      const one: (typeof begun)[number] = {
        done: work(item).then(
          (result) => (one.outcome = { result }),
          (error: unknown) => (one.outcome = { error }),
        ),
      };
      begun.push(one);
      while (working().length >= atOnce && !isAborted()) await Promise.race([aborted, ...working()]);
      yield* finished();
    }
  } catch (error) {
    if (!isAborted()) throw error;
  }
  while (working().length > 0 && !isAborted()) {
    await Promise.race([aborted, ...working()]);
    yield* finished();
  }
  yield* finished();
  // After an abort: what is done stands behind what is not.
  for (const { outcome } of begun) if (outcome !== undefined && 'result' in outcome) yield outcome.result;
}
