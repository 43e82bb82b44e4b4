import { field } from '@palimpsest/messages';
import type { CondensedHistory, Fitted } from '@palimpsest/messages';
import { modelMessages } from './codec.js';
import type { AiMessage } from './codec.js';
import { historiesOf } from './histories.js';
import type { HistoryOptions } from './histories.js';
import { toolsOfSdk } from './history-tools.js';
import type { AnswerTo, HistoryTool } from './history-tools.js';
import { messagesOfStep } from './step-messages.js';
import type { Step } from './step-messages.js';

/** Options of {@link condensing}. */
export interface CondensingOptions extends HistoryOptions {
  /** The instructions of the loop, for the size of a request. @defaultValue in `ai` 7 those of the step, in `ai` 6 none */
  readonly system?: unknown;
  /** The loop's tools in the form of a request, for its size. @defaultValue none */
  readonly tools?: readonly unknown[] | undefined;
}

/** A `prepareStep` of `ai` 6 and 7. */
export interface CondensingStep {
  <Message extends AiMessage>(step: Step<Message>): Promise<{ messages: Message[] }>;
  /**
   * The tools with which the model asks the history: `recall`, which returns what is hidden, and with `relevance` the one by which it
   * says what it no longer needs. Declare them from the first request on, or not at all: `tools: { ...tools, ...prepareStep.tools }`.
   */
  readonly tools: Readonly<Record<string, HistoryTool>>;
}

/**
 * Returns a `prepareStep` that condenses: each step of `generateText`, `streamText` or a `ToolLoopAgent` sends what the
 * condenser leaves of all messages. The loop's own messages stay whole, and so does what the SDK returns. One function
 * serves all conversations of a process. A condenser or a store that fails stops no step: see `onFit`.
 *
 * @example
 * ```ts
 * const prepareStep = condensing({ condenser });
 * const { text } = await generateText({ model, tools, messages, stopWhen: stepCountIs(100), prepareStep });
 * ```
 */
export function condensing(options: CondensingOptions): CondensingStep {
  const { system: instructions, tools, ...historyOptions } = options;
  const { conversationId, onFit } = historyOptions;
  const historyOf = historiesOf(historyOptions, modelMessages());
  /** The request of a list that a tool of the loop gets: that of the step, or the one that was sent in its place. */
  const requests = new WeakMap<object, Request>();
  /** The last request of a loop, by its list of steps. */
  const latest = new WeakMap<object, Request & { readonly fitted: Fitted<AiMessage> }>();

  const prepareStep = async <Message extends AiMessage>(step: Step<Message>): Promise<{ messages: Message[] }> => {
    const { steps = [], model } = step;
    const before = latest.get(steps);
    // A usage that cannot be stored is missed by an estimate only.
    await before?.history.used(field(steps.at(-1), 'usage'), before.fitted).catch(() => undefined);
    const system = instructions ?? step.instructions;
    const history = historyOf(model);
    const messages = messagesOfStep(step);
    const fitted = await history.fit(messages, { conversationId, system, tools });
    const request = { history, messages, system };
    requests.set(step.messages, request);
    requests.set(fitted.messages, request);
    latest.set(steps, { ...request, fitted });
    onFit?.(fitted);
    return { messages: fitted.messages };
  };

  const answerTo: AnswerTo = (given, call, toolCallId) => {
    const request = requests.get(given);
    const { history, system, messages } = request ?? {
      history: historyOf(undefined),
      system: instructions,
      messages: given,
    };
    return history.answerTo(toolCallId, [...messages, call], { conversationId, system });
  };
  return Object.assign(prepareStep, { tools: toolsOfSdk(historyOf(undefined).tools, answerTo) });
}

interface Request {
  readonly history: CondensedHistory<AiMessage>;
  /** All messages of the loop. */
  readonly messages: readonly AiMessage[];
  readonly system: unknown;
}
