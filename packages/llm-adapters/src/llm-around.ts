import type { CompletionRequest, LLM } from './llm.js';

/** An {@link LLM} that asks another one, and is described as that one is. */
export function llmAround(
  llm: LLM,
  own: Pick<LLM, 'complete'> & {
    /** What is counted of a request. @defaultValue the request */
    readonly toRequest?: (request: CompletionRequest) => CompletionRequest;
  },
): LLM {
  const { model, contextWindow, prices, facts, countTokens } = llm;
  const { complete, toRequest = (request) => request } = own;
  return {
    model,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(prices === undefined ? {} : { prices }),
    ...(facts === undefined ? {} : { facts }),
    complete,
    ...(countTokens === undefined
      ? {}
      : { countTokens: (request: CompletionRequest) => countTokens.call(llm, toRequest(request)) }),
  };
}
