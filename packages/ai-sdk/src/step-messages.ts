import { field, listOf } from '@palimpsest/messages';
import type { AiMessage } from './codec.js';

/** The arguments of `prepareStep` at a step of `generateText`, `streamText` or `ToolLoopAgent`, in `ai` 6 and 7. */
export interface Step<Message extends AiMessage = AiMessage> {
  /** The model that is called, or its name. */
  readonly model: unknown;
  /** In `ai` 6 all messages; in `ai` 7 what an earlier step has put in their place, with the newest behind it. */
  readonly messages: readonly Message[];
  /** `ai` 7: the messages of before the loop. */
  readonly initialMessages?: readonly AiMessage[];
  /** `ai` 7: all that the loop has added. */
  readonly responseMessages?: readonly AiMessage[];
  /** The steps of before, with what the user has said between them. */
  readonly steps?: readonly object[];
  /** `ai` 7: the instructions of the step. */
  readonly instructions?: unknown;
  /** `ai` 7: what the user has said since the last step. */
  readonly experimental_steeringMessages?: readonly AiMessage[];
}

/**
 * Returns all messages of a loop, as if no step had put others in their place. In `ai` 7 what `prepareStep` returns is
 * carried to later steps, so the whole is made of the initial messages, the answers, and what the user has said
 * meanwhile, at its places.
 */
export function messagesOfStep<Message extends AiMessage>(step: Step<Message>): readonly Message[] {
  const { initialMessages, responseMessages, steps = [], experimental_steeringMessages: steering = [] } = step;
  if (initialMessages === undefined || responseMessages === undefined) return step.messages;
  const ofSteps = steps.flatMap((one) => [
    ...listOf(field(one, 'experimental_steeringMessages')),
    ...listOf(field(field(one, 'response'), 'messages')),
  ]);
  const answers = steps.flatMap((one) => listOf(field(field(one, 'response'), 'messages')));
  // What was added before the first step: the results of calls that were approved.
  const added = responseMessages.slice(0, responseMessages.length - answers.length);
  return [...initialMessages, ...added, ...ofSteps, ...steering] as readonly Message[];
}
