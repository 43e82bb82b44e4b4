import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { context, metrics, propagation, trace } from '@opentelemetry/api';
import type { HrTime } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

/** The real SDK, registered, with what it would export in memory. */
export interface Traced {
  readonly spans: () => readonly ReadableSpan[];
  /** The one span of this name. */
  readonly span: (name: string, index?: number) => ReadableSpan;
  /** Indented names, in the order in which they began, with what `told` says of each. */
  readonly tree: (told?: (span: ReadableSpan) => string) => string;
  /** Returns what a metric has counted: the sum and the number of values, by its attributes. */
  readonly metric: (
    name: string,
  ) => Promise<readonly { readonly value: unknown; readonly attributes: Readonly<Record<string, unknown>> }[]>;
  readonly end: () => Promise<void>;
}

/** Registers the SDK. Requests of `fetch` become spans in the way in which the instrumentation of undici makes them. */
export function traced(): Traced {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(meterProvider);
  const onRequest = (): void => provider.getTracer('http').startSpan('POST').end();
  subscribe('undici:request:create', onRequest);
  const spans = () => exporter.getFinishedSpans();
  return {
    spans,
    span: (name, index = 0) => {
      const found = inOrder(spans()).filter((span) => span.name === name)[index];
      if (found === undefined)
        throw new Error(
          `no span '${name}' among ${spans()
            .map((one) => one.name)
            .join(', ')}`,
        );
      return found;
    },
    tree: (told = () => '') => lines(inOrder(spans()), undefined, 0, told).join('\n'),
    metric: async (name) => {
      await meterProvider.forceFlush();
      const scopes = metricExporter.getMetrics().at(-1)?.scopeMetrics ?? [];
      const found = scopes.flatMap((scope) => scope.metrics).find(({ descriptor }) => descriptor.name === name);
      return (found?.dataPoints ?? []).map(({ value, attributes }) => ({ value, attributes }));
    },
    end: async () => {
      unsubscribe('undici:request:create', onRequest);
      trace.disable();
      context.disable();
      propagation.disable();
      metrics.disable();
      await Promise.all([provider.shutdown(), meterProvider.shutdown()]);
    },
  };
}

const time = ([seconds, nanoseconds]: HrTime): number => seconds * 1e9 + nanoseconds;

function inOrder(spans: readonly ReadableSpan[]): readonly ReadableSpan[] {
  return [...spans].sort((one, other) => time(one.startTime) - time(other.startTime));
}

function lines(
  spans: readonly ReadableSpan[],
  parent: ReadableSpan | undefined,
  depth: number,
  told: (span: ReadableSpan) => string,
): readonly string[] {
  const isChild = (span: ReadableSpan): boolean => span.parentSpanContext?.spanId === parent?.spanContext().spanId;
  return spans
    .filter(isChild)
    .flatMap((span) => [`${'  '.repeat(depth)}${span.name}${told(span)}`, ...lines(spans, span, depth + 1, told)]);
}
