import { field } from '@palimpsest/messages';
import { promptMessages } from './codec.js';
import type { AiMessage } from './codec.js';
import { historiesOf } from './histories.js';
import type { HistoryOptions } from './histories.js';

/** The parts of a call's options that a middleware reads, of `LanguageModelV3` and `LanguageModelV4`. */
export interface CallParams {
  readonly prompt: readonly AiMessage[];
  readonly tools?: readonly unknown[];
  readonly abortSignal?: AbortSignal;
}

/** A middleware for `wrapLanguageModel` of `ai` 6 and 7. */
export interface CondensingMiddleware {
  readonly specificationVersion: 'v3';
  readonly wrapGenerate: <Params extends CallParams, Result>(call: {
    readonly params: Params;
    readonly model: { doGenerate(params: Params): PromiseLike<Result> };
  }) => Promise<Result>;
  readonly wrapStream: <Params extends CallParams, Result extends { readonly stream: unknown }>(call: {
    readonly params: Params;
    readonly model: { doStream(params: Params): PromiseLike<Result> };
  }) => Promise<Result>;
}

/**
 * Returns a middleware for `wrapLanguageModel` that condenses each prompt, for code that does not own its loop. A
 * prompt that the provider refuses as too long is condensed harder and sent once more, in a stream before the model has
 * said anything. Thinking that the provider refuses as bound to another conversation is left out, once.
 *
 * @example
 * ```ts
 * const model = wrapLanguageModel({ model: openai('gpt-5'), middleware: condensingMiddleware({ condenser }) });
 * ```
 */
export function condensingMiddleware(options: HistoryOptions): CondensingMiddleware {
  const historyOf = historiesOf(options, promptMessages());
  const condensed = <Params extends CallParams, Result>(
    params: Params,
    model: unknown,
    call: (params: Params, used: (usage: unknown) => Promise<void>) => PromiseLike<Result>,
  ): Promise<Result> => {
    const { prompt, tools, abortSignal: signal } = params;
    const { conversationId, onFit } = options;
    const history = historyOf(model);
    return history.withOverflow<AiMessage, Result>(
      prompt,
      async (messages, fitted) => {
        onFit?.(fitted);
        // A usage that cannot be stored is missed by an estimate only.
        const used = (usage: unknown) => history.used(usage, fitted).catch(() => undefined);
        return call({ ...params, prompt: messages }, used);
      },
      { conversationId, tools, signal },
    );
  };
  return {
    specificationVersion: 'v3',
    wrapGenerate: ({ params, model }) =>
      condensed(params, model, async (fitted, used) => {
        const result = await model.doGenerate(fitted);
        await used(field(result, 'usage'));
        return result;
      }),
    wrapStream: async <Params extends CallParams, Result extends { readonly stream: unknown }>({
      params,
      model,
    }: {
      readonly params: Params;
      readonly model: { doStream(params: Params): PromiseLike<Result> };
    }) => {
      let failed: FailedStream<Result> | undefined;
      try {
        return await condensed(params, model, async (fitted, used) => {
          await failed?.cancel();
          const begun = await begunStream(await model.doStream(fitted), used);
          failed = begun instanceof FailedStream ? begun : undefined;
          if (begun instanceof FailedStream) throw begun;
          return begun;
        });
      } catch (error) {
        // Another prompt would not help: the caller gets the stream with its error, as without us.
        if (failed !== undefined && error === failed) return failed.result;
        throw error;
      }
    },
  };
}

/** A stream that begins with an error, because the server had answered 200 before it refused. */
class FailedStream<Result> extends Error {
  readonly result: Result;
  readonly cancel: () => Promise<void>;

  constructor(cause: unknown, result: Result, cancel: () => Promise<void>) {
    super('The stream begins with an error.', { cause });
    this.result = result;
    this.cancel = cancel;
  }
}

/** The parts of a stream that come before the model has said anything. */
const preludes: ReadonlySet<unknown> = new Set(['stream-start', 'response-metadata', 'raw']);

/** Waits for the first word of a stream, or for the error in its place. `used` is called with the usage at its end. */
async function begunStream<Result extends { readonly stream: unknown }>(
  result: Result,
  used: (usage: unknown) => Promise<void>,
): Promise<Result | FailedStream<Result>> {
  const reader = (result.stream as ReadableStream<unknown>).getReader();
  const first: unknown[] = [];
  let read = await reader.read();
  while (!read.done) {
    first.push(read.value);
    if (!preludes.has(field(read.value, 'type'))) break;
    read = await reader.read();
  }
  const stream = new ReadableStream<unknown>({
    pull: async (controller) => {
      const next = first.length > 0 ? { done: false, value: first.shift() } : await reader.read();
      if (field(next.value, 'type') === 'finish') await used(field(next.value, 'usage'));
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const begun = { ...result, stream };
  if (field(read.value, 'type') !== 'error') return begun;
  return new FailedStream(field(read.value, 'error'), begun, () => reader.cancel());
}
