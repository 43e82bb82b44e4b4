import { PalimpsestError } from '@palimpsest/events';
import { readSessions } from '../import/index.js';
import type { SkippedFile } from '../import/index.js';
import { knownPricesOf, pricesOfModel } from '../measure/money.js';
import type { PricedAs } from '../page/page-data.js';
import type { Progress } from './progress.js';

/** Options of {@link readAhead}. */
interface ReadAheadOptions {
  /** The paths were found, not named: one that cannot be read is skipped. */
  readonly isFound: boolean;
  readonly shown: Progress;
  /** Ends the reading early. */
  readonly signal: AbortSignal;
}

/** What is known of sessions before they are replayed. */
export interface ReadAhead {
  /** The recorded model calls by model. */
  readonly calls: ReadonlyMap<string, number>;
  /** The number of sessions. */
  readonly count: number;
  readonly readable: readonly string[];
  /** The files without a session, with the reason. */
  readonly skipped: readonly SkippedFile[];
}

/** Reads all sessions once, for the model whose prices count and for the files without a session. */
export async function readAhead(
  paths: readonly string[],
  { isFound, shown, signal }: ReadAheadOptions,
): Promise<ReadAhead> {
  const calls = new Map<string, number>();
  const [readable, unreadable, skipped]: [string[], SkippedFile[], SkippedFile[]] = [[], [], []];
  let count = 0;
  for (const path of paths) {
    if (signal.aborted) break;
    try {
      const reader = readSessions(path);
      for await (const { events } of reader) {
        for (const event of events)
          if (event.type === 'llm-usage') calls.set(event.model, (calls.get(event.model) ?? 0) + 1);
        count++;
      }
      readable.push(path);
      skipped.push(...reader.skipped);
    } catch (error) {
      // A path that was found and not named is skipped.
      if (!isFound || !PalimpsestError.isInstance(error)) throw error;
      unreadable.push({ file: path, reason: error.message, notes: [] });
    }
    shown.update(`reading ${path}`);
  }
  return { calls, count, readable, skipped: [...unreadable, ...skipped] };
}

/** The model of the prices where none is named, and the sessions name none that has prices. */
const defaultModel = 'claude-sonnet-5-5';

/**
 * Returns the model by whose prices the sessions are priced: the named one, else the recorded one with most calls that has
 * prices.
 *
 * @param calls - the recorded model calls by model
 * @throws {@link HarnessError} `unknown-model` for a named model without known prices
 */
export function pricedAs(named: string | undefined, calls: ReadonlyMap<string, number>, date: Date): PricedAs {
  if (named !== undefined) {
    knownPricesOf(named, date);
    return { model: named, because: 'named' };
  }
  const all = [...calls.values()].reduce((sum, count) => sum + count, 0);
  const priced = [...calls].filter(([model]) => pricesOfModel(model, date) !== undefined);
  const [most] = priced.sort(([, one], [, other]) => other - one);
  if (most === undefined) return { model: defaultModel, because: 'default' };
  return { model: most[0], because: 'recorded', share: most[1] / all };
}
