import { field, textOf } from '@palimpsest/messages';
import { CondensedCalls } from './condensed-calls.js';
import type { CondensingModelOptions } from './condensed-calls.js';
import type { AgentTool, ModelLike, ModelProviderLike } from './model-like.js';

/** The tools that the history offers the model. */
export interface WithTools {
  /**
   * Tools for `new Agent({ tools })`: `recall`, with which the model reads what is hidden, and with the option `relevance`
   * `relevance_condenser`. Declare them from the first run on, or not at all.
   */
  readonly tools: readonly AgentTool[];
}

/** A model that condenses: what the Agents SDK calls of the model that it wraps. */
export type CondensingModel<Model extends ModelLike> = Pick<Model, keyof Model & keyof ModelLike> & WithTools;

/** A provider of {@link CondensingModel}. */
export type CondensingModelProvider<Model extends ModelLike> = WithTools & {
  getModel(modelName?: string): Promise<CondensingModel<Model>>;
};

/**
 * Returns a model that is sent what a condenser leaves of the history, at each call, within a turn too. The session
 * stores the whole history. A call that the provider refuses as too long is condensed harder and sent once more, in a
 * stream before the first word. One serves any number of runs.
 *
 * @throws `TypeError` when `model` is no model, but its name: a provider takes names.
 *
 * @example
 * ```ts
 * const agent = new Agent({ name: 'Coder', model: condensingModel(model, { condenser }) });
 * ```
 */
export function condensingModel<Model extends ModelLike>(
  model: Model,
  options: CondensingModelOptions,
): CondensingModel<Model> {
  return wrapped(model, undefined, new CondensedCalls(options));
}

/**
 * Returns a provider whose models condense: see {@link condensingModel}.
 *
 * @throws `TypeError` when the provider returns no model.
 *
 * @example
 * ```ts
 * const runner = new Runner({ modelProvider: condensingModelProvider(new OpenAIProvider(), { condenser }) });
 * ```
 */
export function condensingModelProvider<Model extends ModelLike>(
  provider: ModelProviderLike<Model>,
  options: CondensingModelOptions,
): CondensingModelProvider<Model> {
  const calls = new CondensedCalls(options);
  return {
    tools: calls.tools,
    // A provider may make a model anew for each call; what is known of the history is not the model's.
    getModel: async (modelName) => wrapped(await provider.getModel(modelName), modelName, calls),
  };
}

function wrapped<Model extends ModelLike>(
  model: Model,
  modelName: string | undefined,
  calls: CondensedCalls,
): CondensingModel<Model> {
  if (typeof field(model, 'getResponse') !== 'function') {
    throw new TypeError(`A model of the Agents SDK has getResponse; this is a value of type ${typeof model}.`);
  }
  const name = modelName ?? textOf(field(model, '_model'));
  const { supportsPromptModelSelection } = model;
  const condensing: ModelLike = {
    ...(supportsPromptModelSelection === undefined ? {} : { supportsPromptModelSelection }),
    getResponse: (request) => calls.respond(model, name, request),
    getStreamedResponse: (request) => calls.stream(model, name, request),
    ...(model.getRetryAdvice === undefined ? {} : { getRetryAdvice: (args) => model.getRetryAdvice?.(args) }),
  };
  return { ...condensing, tools: calls.tools } as unknown as CondensingModel<Model>;
}
