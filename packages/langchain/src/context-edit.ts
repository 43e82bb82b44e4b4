import { condensedHistory } from '@palimpsest/messages';
import type { CondensedHistory, Fitted } from '@palimpsest/messages';
import type { BaseMessage, ContextEdit } from 'langchain';
import { langchainMessages } from './codec.js';
import { detached } from './detached.js';
import type { HistoryOptions } from './histories.js';
import { modelName } from './model-name.js';
import { usageOf } from './reported-usage.js';

/** Options of {@link condensingEdit}. */
export type CondensingEditOptions = Omit<HistoryOptions, 'historyTools'>;

/**
 * Returns a condenser as an edit for LangChain's `contextEditingMiddleware`, for those who want the strategy alone. As
 * with every edit, the list that it is given is changed in place. Our own events live in the process.
 *
 * @example
 * ```ts
 * const agent = createAgent({ model, tools, middleware: [contextEditingMiddleware({ edits: [condensingEdit({ condenser })] })] });
 * ```
 */
export function condensingEdit(options: CondensingEditOptions): ContextEdit {
  // Tells of a wrong option now, not at the first request.
  condensedHistory({ ...options, codec: langchainMessages() });
  const histories = new Map<string, CondensedHistory<BaseMessage>>();
  /** The fits, by the last message of the list that was sent. The next message is the answer, and has the usage. */
  const sent = new Map<string, Fitted<BaseMessage>>();
  return {
    apply: async ({ messages, model }) => {
      const name = options.model ?? modelName(model);
      const known = histories.get(name ?? '');
      const history = known ?? condensedHistory({ ...options, model: name, codec: langchainMessages() });
      histories.set(name ?? '', history);
      const answerAt = messages.findLastIndex((message) => message.getType() === 'ai');
      const before = sent.get(messages[answerAt - 1]?.id ?? '');
      if (before !== undefined) await history.used(usageOf(messages[answerAt]), before).catch(() => undefined);
      const last = messages.at(-1)?.id;
      const fitted = await detached(() => history.fit(messages));
      if (last !== undefined) remember(sent, last, fitted);
      if (fitted.state === 'condensed') messages.splice(0, messages.length, ...fitted.messages);
    },
  };
}

const maxSent = 100;

function remember(sent: Map<string, Fitted<BaseMessage>>, last: string, fitted: Fitted<BaseMessage>): void {
  sent.set(last, fitted);
  const [oldest = ''] = sent.keys();
  if (sent.size > maxSent) sent.delete(oldest);
}
