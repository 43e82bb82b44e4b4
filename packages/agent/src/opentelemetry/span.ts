import { createContextKey, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context, Counter, Histogram, Meter, Span, SpanOptions, Tracer } from '@opentelemetry/api';
import type { Usage } from '@palimpsest/events';
import { LLMError } from '@palimpsest/llm-adapters';
import type { LLM } from '@palimpsest/llm-adapters';
import { codeOf, ConversationRunError } from '../errors.js';

/** The common parts of all observed work: one object for each instrumentation. */
export interface Telemetry {
  /** `gen_ai.agent.name`, if it is given. */
  readonly agentName: string | undefined;
  readonly tracer: Tracer;
  readonly measures: Measures;
  /** True if what is said is recorded. */
  readonly content: boolean;
  readonly providerName: (llm: LLM) => string;
}

/** Returns the attribute with the conversation of a span, if it is known. */
export function idOf(conversationId: string | undefined): Attributes {
  return conversationId === undefined ? {} : { [names.conversation]: conversationId };
}

/** Returns the seconds since a start, by a clock that does not jump. */
export function secondsSince(start: number): number {
  return (performance.now() - start) / 1_000;
}

/** The sums of a run. */
export interface RunTally {
  inferenceCalls: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number | undefined;
}

/** The work around a span, as the context tells it to the work inside. */
export interface WorkContext {
  readonly conversationId?: string | undefined;
  readonly tally?: RunTally | undefined;
  readonly condensation?: CondensationSpan | undefined;
  /** True in a run that a runner was asked for: see {@link begun}. */
  readonly isOfRunner?: boolean;
  /** A model call is observed around this: a wrapped model inside is the same call. */
  readonly isModelCall?: boolean;
}

const contextKey = createContextKey('@palimpsest/agent');

export function spanContext(context: Context): WorkContext {
  return (context.getValue(contextKey) as WorkContext | undefined) ?? {};
}

/** Adds to what the context tells of the work around. */
export function within(context: Context, added: WorkContext): Context {
  return context.setValue(contextKey, { ...spanContext(context), ...added });
}

/**
 * Returns a context whose span has ended: the parent of what a run or a step of a runner does. A span is exported when it ends, and that of
 * a worker that dies never is; what had ended inside of it would have no parent in the trace.
 */
export function begun(name: string, options: SpanOptions, active: Context, tracer: Tracer): Context {
  const span = tracer.startSpan(`begin ${name}`, options, active);
  span.end();
  return trace.setSpan(active, span);
}

/**
 * Returns the error as a word of low cardinality: the code of our errors, else the name of the class. Never its message, which quotes what was
 * sent, and never what is no name: a tool may throw anything.
 */
export function errorTypeOf(thrown: unknown): string {
  const cause = ConversationRunError.isInstance(thrown) ? thrown.cause : thrown;
  if (!LLMError.isInstance(cause) && cause instanceof Error && cause.name === 'Error') return '_OTHER';
  const code = codeOf(cause);
  return /^[\w.-]{1,64}$/.test(code) && code !== 'unknown' ? code : '_OTHER';
}

/** Records on a span that its work failed, or that the user ended it. Returns the type of the error. */
export function recordFailure(
  span: Span,
  thrown: unknown,
  signal: AbortSignal | undefined,
): { readonly errorType?: string } {
  if (signal?.aborted === true) {
    span.setAttribute(names.interrupted, true);
    return {};
  }
  return { errorType: recordError(span, errorTypeOf(thrown)) };
}

/** Records on a span that its work failed. Returns the type of the error. */
export function recordError(span: Span, errorType: string): string {
  span.setAttribute(names.errorType, errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
  return errorType;
}

/** The figures of a condensation. */
export interface CondensationFigures {
  readonly condenser: string;
  readonly outcome: string;
  readonly savedTokens: number;
  /** Unit: USD. */
  readonly costUsd: number | undefined;
}

const doubled = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first * 2 ** i);
/** The bounds that the specification gives. */
const shortSeconds = doubled(0.01, 14);
const longSeconds = doubled(0.1, 13);
const counts = doubled(1, 8);
const tokens = Array.from({ length: 14 }, (_, index) => 4 ** index);

/** The metrics of the specification, and ours (`palimpsest.*`) for what it lacks. */
export class Measures {
  readonly inference: Histogram;
  readonly firstChunk: Histogram;
  readonly tool: Histogram;
  readonly run: Histogram;
  readonly inferenceCalls: Histogram;
  readonly toolCalls: Histogram;
  /** Runs that go on with one whose process died or handed it over. */
  readonly takeovers: Counter;
  /** Actions that were answered as lost. */
  readonly lostActions: Counter;
  readonly condensations: Counter;
  readonly savedTokens: Counter;
  /** Unit: USD. */
  readonly condensationCost: Counter;
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
    this.takeovers = meter.createCounter('palimpsest.run.takeovers', { unit: '{run}' });
    this.lostActions = meter.createCounter('palimpsest.action.lost', { unit: '{action}' });
    this.condensations = meter.createCounter('palimpsest.condensations', { unit: '{condensation}' });
    this.savedTokens = meter.createCounter('palimpsest.condensation.saved_tokens', { unit: '{token}' });
    this.condensationCost = meter.createCounter('palimpsest.condensation.cost', { unit: 'USD' });
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

  /** Counts a condensation, and what it saved and cost. */
  condensation({ condenser, outcome, savedTokens, costUsd }: CondensationFigures): void {
    const attributes = { [names.condenser]: condenser, [names.condensationOutcome]: outcome };
    this.condensations.add(1, attributes);
    this.savedTokens.add(Math.max(0, savedTokens), attributes);
    if (costUsd !== undefined) this.condensationCost.add(costUsd, attributes);
  }

  /** Counts the tokens of a model call that was answered. */
  usage(usage: Usage, attributes: Attributes): void {
    for (const [histogram, countOf] of this.#perCall) histogram.record(countOf(usage), attributes);
    for (const { add } of this.#totals) add(attributes, usage);
  }
}

/** Returns all that was sent, cached or not. */
export function inputTokens({ uncachedInputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return uncachedInputTokens + cacheReadTokens + cacheWriteTokens;
}

/**
 * The names of the GenAI semantic conventions, as of their release 0.1.0, and ours (`palimpsest.*`) for what they lack.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai
 */
export const names = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  agentName: 'gen_ai.agent.name',
  conversation: 'gen_ai.conversation.id',
  requestModel: 'gen_ai.request.model',
  requestStream: 'gen_ai.request.stream',
  requestMaxTokens: 'gen_ai.request.max_tokens',
  outputType: 'gen_ai.output.type',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  modality: 'gen_ai.token.modality',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCallId: 'gen_ai.tool.call.id',
  // Content, only where it is asked for.
  systemInstructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolDefinitions: 'gen_ai.tool.definitions',
  toolDescription: 'gen_ai.tool.description',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  errorType: 'error.type',

  /** `agent`, `aside`, `condenser`: who asked the model. */
  purpose: 'palimpsest.purpose',
  /** The provider reported no usage; the counts are ours. */
  usageIsEstimated: 'palimpsest.usage.estimated',
  /** Unit: USD. */
  cost: 'palimpsest.cost_usd',
  /** The user ended the work: no error. */
  interrupted: 'palimpsest.interrupted',
  runOutcome: 'palimpsest.run.outcome',
  iterations: 'palimpsest.run.iterations',
  condensations: 'palimpsest.run.condensations',
  waitingActions: 'palimpsest.run.waiting_actions',
  stuckPattern: 'palimpsest.run.stuck_pattern',
  /** The status in which the run before left the conversation, on the link to that run. */
  earlierStatus: 'palimpsest.earlier.status',
  /** `request` on a link to whoever asked a runner for the run. */
  linkType: 'palimpsest.link.type',
  stepOutcome: 'palimpsest.step.outcome',
  actionId: 'palimpsest.action.id',
  condenser: 'palimpsest.condensation.condenser',
  condensationOutcome: 'palimpsest.condensation.outcome',
  condensationId: 'palimpsest.condensation.id',
  reason: 'palimpsest.condensation.reason',
  tokensBefore: 'palimpsest.condensation.tokens_before',
  tokensAfter: 'palimpsest.condensation.tokens_after',
  savedTokens: 'palimpsest.condensation.saved_tokens',
  forgotten: 'palimpsest.condensation.forgotten',
  masked: 'palimpsest.condensation.masked',
  summarized: 'palimpsest.condensation.summarized',
  background: 'palimpsest.condensation.background',
  condensationCost: 'palimpsest.condensation.cost_usd',
  attempt: 'palimpsest.condensation.attempt',
  attemptOutcome: 'palimpsest.condensation.attempt.outcome',
  retry: 'palimpsest.retry',
  retryAttempt: 'palimpsest.retry.attempt',
  /** Unit: milliseconds. */
  retryDelay: 'palimpsest.retry.delay_ms',
  restart: 'palimpsest.restart',
  rateWait: 'palimpsest.rate_limit.wait',
  /** At the least. Unit: milliseconds. */
  rateWaitMs: 'palimpsest.rate_limit.wait_ms',
  /** The calls of the process that come first. */
  rateWaitAhead: 'palimpsest.rate_limit.ahead',
} as const;

/**
 * The span of a condenser's call. Most calls return the view at once: a span exists only if the condenser asks a model or there is
 * something to tell. It begins when the condenser was called.
 */
export class CondensationSpan {
  readonly #tracer: Tracer;
  readonly #name: string;
  readonly #options: SpanOptions;
  readonly #around: Context;
  #span: Span | undefined;
  #isOver = false;
  /** The model calls that are under way. */
  openCalls = 0;

  constructor(tracer: Tracer, condenser: string, attributes: SpanOptions['attributes'], around: Context) {
    this.#tracer = tracer;
    this.#name = `condense ${condenser}`;
    this.#options = { kind: SpanKind.INTERNAL, startTime: new Date(), ...(attributes && { attributes }) };
    this.#around = around;
  }

  /** Returns the span, begun if it was not. Undefined when the call is over and nothing was to be told. */
  begun(): Span | undefined {
    if (!this.#isOver) this.#span ??= this.#tracer.startSpan(this.#name, this.#options, this.#around);
    return this.#span;
  }

  /** Returns the context for work inside. A model that is asked in the background may be asked after the end. */
  inside(context: Context): Context {
    const span = this.begun();
    return span === undefined ? context : trace.setSpan(context, span);
  }

  get exists(): boolean {
    return this.#span !== undefined;
  }

  end(): void {
    this.#isOver = true;
    this.#span?.end();
  }
}
