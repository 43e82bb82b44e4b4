import type { LLM } from '@palimpsest/llm-adapters';

/** The same model. `onCalls` is called when a call begins or ends, with how many are under way. */
export function watchedLLM(llm: LLM, onCalls: (underWay: number) => void): LLM {
  let underWay = 0;
  const { model, contextWindow, prices, facts, countTokens } = llm;
  return {
    model,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(prices === undefined ? {} : { prices }),
    ...(facts === undefined ? {} : { facts }),
    ...(countTokens === undefined ? {} : { countTokens: (request) => countTokens.call(llm, request) }),
    complete: async (request) => {
      onCalls(++underWay);
      try {
        return await llm.complete(request);
      } finally {
        onCalls(--underWay);
      }
    },
  };
}
