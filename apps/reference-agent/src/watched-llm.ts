import type { LLM } from '@palimpsest/llm-adapters';

/** The same model. `onCall` is called when a call begins (1) and when it ends (-1). */
export function watchedLLM(llm: LLM, onCall: (change: 1 | -1) => void): LLM {
  const { model, contextWindow, prices, facts, countTokens } = llm;
  return {
    model,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(prices === undefined ? {} : { prices }),
    ...(facts === undefined ? {} : { facts }),
    ...(countTokens === undefined ? {} : { countTokens: (request) => countTokens.call(llm, request) }),
    complete: async (request) => {
      onCall(1);
      try {
        return await llm.complete(request);
      } finally {
        onCall(-1);
      }
    },
  };
}
