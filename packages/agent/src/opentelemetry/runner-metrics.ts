import type { MeterProvider, ObservableResult } from '@opentelemetry/api';
import { MissingPackageError } from '../errors.js';
import type { Runner } from '../runner/runner.js';
import type { OpenTelemetryOptions } from './options.js';

/** The numbers of a queue, over all workers: what `counts()` of `@palimpsest/dbos` returns. */
export interface RequestCounts {
  /** Requests that wait for a free place. */
  readonly waiting: number;
  /** Requests that wait for their time. */
  readonly delayed: number;
  readonly running: number;
  /** Requests that were given up. */
  readonly deadLetters: number;
  /** The age of the oldest request that waits for a place. Unit: milliseconds. */
  readonly oldestMs: number;
}

/** Options of {@link runnerMetrics}. */
export interface RunnerMetricsOptions extends Pick<OpenTelemetryOptions, 'meterProvider'> {
  readonly runner: Pick<Runner, 'status'> & { readonly counts?: () => Promise<RequestCounts> };
  /** The number of conversations that this worker runs at once. */
  readonly maxConcurrentRuns: number;
  /**
   * The time between two counts: a scrape gets what was counted last. Unit: milliseconds. @defaultValue 15000
   */
  readonly refreshMs?: number;
}

/** The metrics of a runner, until they are ended. */
export interface RunnerMetrics {
  /** Counts now. */
  refresh(): Promise<void>;
  /** Reports nothing any more. */
  end(): void;
}

/**
 * Reports a runner as metrics of OpenTelemetry: the requests that wait, are delayed and run, the age of the oldest, the requests that were
 * given up, and the places of this worker. They are counted now and then, and not at each scrape; how long ago is a metric, too.
 *
 * @throws {@link MissingPackageError} when `@opentelemetry/api`, an optional peer, is not installed.
 */
export async function runnerMetrics(options: RunnerMetricsOptions): Promise<RunnerMetrics> {
  const { runner, maxConcurrentRuns, refreshMs = 15_000 } = options;
  const { metrics } = await import('@opentelemetry/api').catch((cause: unknown) => {
    throw new MissingPackageError('@opentelemetry/api', cause);
  });
  // Its type is the API's own: see `OpenTelemetryOptions`.
  const meter = ((options.meterProvider ?? metrics) as MeterProvider).getMeter('@palimpsest/agent');
  let last: (RequestCounts & { readonly here: number; readonly at: number }) | undefined;
  const refresh = async (): Promise<void> => {
    try {
      const { running, queued } = await runner.status();
      const here = running.length;
      const simple = { waiting: queued, delayed: 0, running: here, deadLetters: 0, oldestMs: 0 };
      last = { ...((await runner.counts?.()) ?? simple), here, at: performance.now() };
    } catch {
      // What was counted last stays, and its age tells.
    }
  };
  const gauges = [
    gauge('palimpsest.runner.requests', '{request}', (counts, result) => {
      result.observe(counts.waiting, { state: 'waiting' });
      result.observe(counts.delayed, { state: 'delayed' });
      result.observe(counts.running, { state: 'running' });
    }),
    gauge('palimpsest.runner.oldest_request.age', 's', ({ waiting, oldestMs, at }, result) => {
      result.observe(waiting === 0 ? 0 : (oldestMs + performance.now() - at) / 1_000);
    }),
    gauge('palimpsest.runner.dead_letters', '{request}', ({ deadLetters }, result) => result.observe(deadLetters)),
    gauge('palimpsest.runner.count.age', 's', ({ at }, result) => result.observe((performance.now() - at) / 1_000)),
    gauge('palimpsest.runner.places', '{place}', ({ here }, result) => {
      result.observe(here, { state: 'taken' });
      result.observe(Math.max(0, maxConcurrentRuns - here), { state: 'free' });
    }),
  ];
  function gauge(
    name: string,
    unit: string,
    observe: (counts: NonNullable<typeof last>, result: ObservableResult) => void,
  ) {
    const made = meter.createObservableGauge(name, { unit });
    const callback = (result: ObservableResult) => {
      if (last !== undefined) observe(last, result);
    };
    made.addCallback(callback);
    return () => made.removeCallback(callback);
  }
  const timer = setInterval(() => void refresh(), refreshMs);
  (timer as { unref?: () => void }).unref?.();
  await refresh();
  return {
    refresh,
    end() {
      clearInterval(timer);
      for (const remove of gauges) remove();
    },
  };
}
