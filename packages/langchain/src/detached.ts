import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';

/**
 * Runs what a condenser does without the callbacks of the graph: a model that it calls through LangChain would stream its tokens
 * to the user.
 */
export function detached<Result>(work: () => Promise<Result>): Promise<Result> {
  return AsyncLocalStorageProviderSingleton.runWithConfig<Promise<Result>>({}, work, true);
}
