import { modelMessages } from './codec.js';
import type { AiMessage } from './codec.js';
import { historiesOf } from './histories.js';
import type { HistoryOptions } from './histories.js';
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
export type CondensingStep = <Message extends AiMessage>(step: Step<Message>) => Promise<{ messages: Message[] }>;

/**
 * A `prepareStep` that condenses: each step of `generateText`, `streamText` or a `ToolLoopAgent` sends what the condenser leaves
 * of all messages. The loop's own messages stay whole, and so does what the SDK returns. One function serves all conversations of
 * a process. A condenser or a store that fails stops no step: see `onFit`.
 *
 * @example
 * ```ts
 * const prepareStep = condensing({ condenser });
 * const { text } = await generateText({ model, tools, messages, stopWhen: stepCountIs(100), prepareStep });
 * ```
 */
export function condensing(options: CondensingOptions): CondensingStep {
  const { conversationId, onFit, tools } = options;
  const historyOf = historiesOf(options, modelMessages());
  return async (step) => {
    const system = options.system ?? step.instructions;
    const fitted = await historyOf(step.model).fit(messagesOfStep(step), { conversationId, system, tools });
    onFit?.(fitted);
    return { messages: fitted.messages };
  };
}
