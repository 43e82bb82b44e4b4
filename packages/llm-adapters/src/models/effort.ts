import { InvalidRequestError } from '../errors.js';
import type { CompletionRequest } from '../llm.js';
import type { Effort, ModelFacts } from './model-facts.js';

/**
 * The effort of a request: its own, else that of the options.
 *
 * @throws {@link InvalidRequestError} when the model is known not to take it.
 */
export function effortOf(
  request: Pick<CompletionRequest, 'effort'>,
  options: { readonly model: string; readonly effort?: Effort | undefined },
  { efforts, provider }: Pick<ModelFacts, 'efforts' | 'provider'>,
): Effort | undefined {
  const effort = request.effort ?? options.effort;
  if (effort === undefined || efforts === undefined || efforts.includes(effort)) return effort;
  const taken = efforts.length === 0 ? 'no effort' : `the effort ${efforts.join(', ')}`;
  const name = provider === 'anthropic' ? 'anthropic' : 'openai';
  throw new InvalidRequestError(`${name}: the model ${options.model} takes ${taken}, not '${effort}'`, {
    provider: name,
  });
}
