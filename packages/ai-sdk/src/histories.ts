import { condensedHistory, field, textOf } from '@palimpsest/messages';
import type { Codec, CondensedHistory, CondensedHistoryOptions, Fitted } from '@palimpsest/messages';
import { historyTools } from '@palimpsest/messages/tools';
import type { HistoryToolsOptions } from '@palimpsest/messages/tools';
import type { AiMessage } from './codec.js';

/** The options that `condensing` and `condensingMiddleware` share. */
export interface HistoryOptions
  extends Omit<CondensedHistoryOptions<AiMessage>, 'codec' | 'historyTools'>, HistoryToolsOptions {
  /**
   * The model's name: window, thinking, prices and the estimate of tokens follow from it.
   * @defaultValue the name of the model that is called. Each model has condensations of its own, because it has a cache of its
   * own; with a `store` models share them
   */
  readonly model?: string | undefined;
  /**
   * The name of the conversation, where there is one only. @defaultValue a name made of the user's first message; conversations
   * that begin alike share the name, and nothing else
   */
  readonly conversationId?: string | undefined;
  /** Called with each fit: what is sent, what was condensed and why, and `problem` if the condenser failed. @defaultValue nothing */
  readonly onFit?: ((fitted: Fitted<AiMessage>) => void) | undefined;
}

/** Returns the history of each model, made when the model is called first. */
export function historiesOf(
  options: HistoryOptions,
  codec: Codec<AiMessage>,
): (model: unknown) => CondensedHistory<AiMessage> {
  const { conversationId: _conversationId, onFit: _onFit, relevance, ...shared } = options;
  const own = { ...shared, historyTools: historyTools({ relevance }) };
  const histories = new Map<string, CondensedHistory<AiMessage>>();
  const historyOf = (model: unknown) => {
    const name = options.model ?? textOf(model) ?? textOf(field(model, 'modelId'));
    const known = histories.get(name ?? '');
    if (known !== undefined) return known;
    const history = condensedHistory({ ...own, codec, model: name });
    histories.set(name ?? '', history);
    return history;
  };
  // Tells of a wrong option now, not at the first request.
  historyOf(undefined);
  return historyOf;
}
