import { ToolMessage } from '@langchain/core/messages';
import type { MessageContent } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import type { ToolRuntime } from '@langchain/core/tools';
import { Command } from '@langchain/langgraph';
import { condensedHistory, field, textOf } from '@palimpsest/messages';
import type { Fitted, FitOptions } from '@palimpsest/messages';
import { historyTools } from '@palimpsest/messages/tools';
import type { HistoryToolsOptions } from '@palimpsest/messages/tools';
import { createMiddleware } from 'langchain';
import type { AgentMiddleware, BaseMessage } from 'langchain';
import { langchainMessages } from './codec.js';
import { detached } from './detached.js';
import { Histories } from './histories.js';
import type { HistoryOptions } from './histories.js';
import { modelName } from './model-name.js';
import { overflowIn } from './overflow.js';
import { usageOf } from './reported-usage.js';
import { eventsIn, StateEvents, stateKey, stateSchema } from './state-events.js';
import { toolDefinitions } from './tool-definitions.js';

/** Options of {@link condensing}. */
export interface CondensingOptions extends Omit<HistoryOptions, 'historyTools'>, HistoryToolsOptions {
  /**
   * The model's name: window, thinking, prices and the estimate of tokens follow from it.
   * @defaultValue the name of the model that is called
   */
  readonly model?: string | undefined;
  /**
   * Gives the model a tool with which it reads again what is hidden. With `relevance` it is always there.
   * @defaultValue false
   */
  readonly recall?: boolean | undefined;
  /** Called with each fit: what is sent, what was condensed and why, and `problem` if the condenser failed. @defaultValue nothing */
  readonly onFit?: ((fitted: Fitted<BaseMessage>) => void) | undefined;
}

/** The middleware that {@link condensing} returns. Its state is private: it is no input and no output of the agent. */
type CondensingMiddleware = AgentMiddleware<undefined, undefined, unknown, readonly [], readonly []>;

/**
 * Returns a middleware for `createAgent` that condenses what the model reads. The messages of the state are never
 * changed. What was condensed stands in the state as events of our own, so a checkpointer keeps it, and a branch has
 * what held where it began. A request that the provider refuses as too long is condensed harder and sent once more.
 *
 * @example
 * ```ts
 * const agent = createAgent({ model, tools, middleware: [condensing({ condenser })] });
 * ```
 */
export function condensing(options: CondensingOptions): CondensingMiddleware {
  const { recall = false, relevance, onFit, ...shared } = options;
  const historyOptions = { ...shared, historyTools: historyTools({ relevance }) };
  const { model: name } = historyOptions;
  const histories = new Histories(historyOptions);
  return createMiddleware({
    name: 'CondensingMiddleware',
    stateSchema,
    tools: recall || relevance !== undefined ? toolsOf(historyOptions) : [],
    wrapModelCall: async (request, handler) => {
      const { model, messages, state, runtime } = request;
      const moment = {
        events: eventsIn(state),
        messages,
        model: name ?? modelName(model),
        thread: textOf(runtime.configurable?.thread_id) ?? '',
      };
      return histories.use(moment, async ({ history, store }) => {
        const fitOptions: FitOptions = {
          conversationId,
          system: request.systemMessage?.content,
          tools: toolDefinitions(request.tools),
          signal: runtime.signal,
        };
        let fitted = await detached(() => history.fit(messages, fitOptions));
        for (;;) {
          onFit?.(fitted);
          try {
            const answer = await handler({ ...request, messages: fitted.messages });
            // A usage that is missed costs an estimate some of its accuracy.
            await history.used(usageOf(answer), fitted).catch(() => undefined);
            const added = store.events.slice(moment.events.length);
            // An answer with a structured response is more than a message, and no command can carry it.
            if (added.length === 0 || !isMessage(answer)) return answer;
            return new Command({ update: { [stateKey]: added } });
          } catch (error) {
            const again = await detached(() => afterError(history, error, fitted));
            if (again === undefined) throw error;
            fitted = again;
          }
        }
      });
    },
  }) as unknown as CondensingMiddleware;
}

/** A store holds the events of one state, so there is one conversation in it. */
const conversationId = 'langchain';

type History = ReturnType<typeof condensedHistory<BaseMessage>>;

async function afterError(history: History, error: unknown, fitted: Fitted<BaseMessage>) {
  const again = await history.afterError(error, fitted);
  const overflow = overflowIn(error);
  return again ?? (overflow === undefined ? undefined : history.afterError(overflow, fitted));
}

function isMessage(answer: unknown): boolean {
  return typeof field(answer, 'getType') === 'function';
}

/** The tools of a history, run against the state in which they are called. */
function toolsOf(given: HistoryOptions) {
  const options = { ...given, codec: langchainMessages() };
  const { tools } = condensedHistory(options);
  return tools.map((declared) => {
    const [toolName, description] = [String(field(declared, 'name')), String(field(declared, 'description'))];
    return tool(
      async (_input: unknown, runtime: ToolRuntime) => {
        const { state, toolCallId, signal } = runtime;
        const messages = field(state, 'messages') as readonly BaseMessage[];
        const history = condensedHistory({ ...options, store: new StateEvents(eventsIn(state)) });
        const answer = await detached(() => history.answerTo(toolCallId, messages, { conversationId, signal }));
        const { content, isError } = answer ?? { content: 'This call is not in the history.', isError: true };
        return new ToolMessage({
          content: content as MessageContent,
          tool_call_id: toolCallId,
          name: toolName,
          status: isError ? 'error' : 'success',
        });
      },
      { name: toolName, description, schema: field(declared, 'schema') as Record<string, unknown> },
    );
  });
}
