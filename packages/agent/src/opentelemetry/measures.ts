import type { Attributes, Histogram, Meter } from '@opentelemetry/api';
import type { Usage } from '@palimpsest/events';
import { names } from './names.js';

const doubled = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first * 2 ** i);
/** The bounds that the specification gives. */
const shortSeconds = doubled(0.01, 14);
const longSeconds = doubled(0.1, 13);
const counts = doubled(1, 8);
const tokens = Array.from({ length: 14 }, (_, index) => 4 ** index);

/** The metrics of the specification. */
export class Measures {
  readonly inference: Histogram;
  readonly firstChunk: Histogram;
  readonly tool: Histogram;
  readonly run: Histogram;
  readonly inferenceCalls: Histogram;
  readonly toolCalls: Histogram;
  readonly #perCall: readonly (readonly [Histogram, (usage: Usage) => number])[];
  readonly #totals: readonly { readonly add: (attributes: Attributes, usage: Usage) => void }[];

  constructor(meter: Meter) {
    const histogram = (name: string, unit: string, bounds: number[]): Histogram =>
      meter.createHistogram(name, { unit, advice: { explicitBucketBoundaries: bounds } });
    this.inference = histogram('gen_ai.client.inference.duration', 's', shortSeconds);
    this.firstChunk = histogram('gen_ai.client.inference.time_to_first_chunk', 's', shortSeconds);
    this.tool = histogram('gen_ai.execute_tool.duration', 's', shortSeconds);
    this.run = histogram('gen_ai.invoke_agent.duration', 's', longSeconds);
    this.inferenceCalls = histogram('gen_ai.invoke_agent.inference_calls', '{inference_call}', counts);
    this.toolCalls = histogram('gen_ai.invoke_agent.tool_calls', '{tool_call}', counts);
    const perCall = (name: string) => histogram(`gen_ai.client.inference.operation.${name}`, '{token}', tokens);
    this.#perCall = [
      [perCall('input_tokens'), inputTokens],
      [perCall('output_tokens'), ({ outputTokens }) => outputTokens],
    ];
    const total = (name: string, countOf: (usage: Usage) => number | undefined) => {
      const counter = meter.createCounter(`gen_ai.client.inference.usage.${name}`, { unit: '{token}' });
      return {
        add: (attributes: Attributes, usage: Usage) => {
          const count = countOf(usage);
          if (count !== undefined) counter.add(count, { ...attributes, [names.modality]: 'unknown' });
        },
      };
    };
    this.#totals = [
      total('input_tokens', inputTokens),
      total('output_tokens', ({ outputTokens }) => outputTokens),
      total('cache_read.input_tokens', ({ cacheReadTokens }) => cacheReadTokens),
      total('cache_write.input_tokens', ({ cacheWriteTokens }) => cacheWriteTokens),
      total('reasoning.output_tokens', ({ reasoningTokens }) => reasoningTokens),
    ];
  }

  /** Counts the tokens of a model call that was answered. */
  usage(usage: Usage, attributes: Attributes): void {
    for (const [histogram, countOf] of this.#perCall) histogram.record(countOf(usage), attributes);
    for (const { add } of this.#totals) add(attributes, usage);
  }
}

/** All that was sent, cached or not. */
export function inputTokens({ uncachedInputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return uncachedInputTokens + cacheReadTokens + cacheWriteTokens;
}
