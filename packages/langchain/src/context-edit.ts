import { condensedHistory } from '@palimpsest/messages';
import type { CondensedHistory } from '@palimpsest/messages';
import type { BaseMessage, ContextEdit } from 'langchain';
import { langchainMessages } from './codec.js';
import { detached } from './detached.js';
import type { HistoryOptions } from './histories.js';
import { modelName } from './model-name.js';

/** Options of {@link condensingEdit}. */
export type CondensingEditOptions = Omit<HistoryOptions, 'relevance'>;

/**
 * A condenser as an edit for LangChain's `contextEditingMiddleware`, for those who want the strategy alone. As with every edit,
 * the list that it is given is changed in place. Our own events live in the process.
 *
 * @example
 * ```ts
 * const agent = createAgent({ model, tools, middleware: [contextEditingMiddleware({ edits: [condensingEdit({ condenser })] })] });
 * ```
 */
export function condensingEdit(options: CondensingEditOptions): ContextEdit {
  const histories = new Map<string, CondensedHistory<BaseMessage>>();
  return {
    apply: async ({ messages, model }) => {
      const name = options.model ?? modelName(model);
      const known = histories.get(name ?? '');
      const history = known ?? condensedHistory({ ...options, model: name, codec: langchainMessages() });
      histories.set(name ?? '', history);
      const fitted = await detached(() => history.fit(messages));
      if (fitted.state === 'condensed') messages.splice(0, messages.length, ...fitted.messages);
    },
  };
}
