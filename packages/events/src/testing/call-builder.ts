import type { CreateEvent, EventFields } from '../create-event.js';
import type { Event } from '../event.js';
import type { InternalEvent } from '../internal-events.js';
import type {
  ActionEvent,
  AgentErrorEvent,
  LLMConvertibleEvent,
  ObservationEvent,
  UserRejectObservation,
} from '../llm-convertible-events.js';
import type { ContentPart } from '../message.js';

/** Fields that a builder's method fills in and a test may set. */
export type Extra<Type extends (LLMConvertibleEvent | InternalEvent)['type'], Given extends string> = Partial<
  Omit<EventFields<Type>, Given>
>;

/** A tool call to build. */
export interface CallSpec {
  readonly name: string;
  /** The input, or the text that the model wrote, which need not parse. @defaultValue `{}` */
  readonly input?: Readonly<Record<string, unknown>> | string;
  /** @defaultValue `call-1`, `call-2`, … */
  readonly id?: string;
  /** The tool's answer. Without it the call has no result. */
  readonly result?: string | readonly ContentPart[];
}

/** The events of one model response: its calls, and the results of those that have one. */
export interface BuiltBatch {
  readonly actions: readonly ActionEvent[];
  readonly results: readonly ObservationEvent[];
}

/** The part of a log builder that makes tool calls and what answers them. */
export interface CallBuilder {
  /** Adds a call in a model response of its own, and its result. */
  call(
    name: string,
    input?: CallSpec['input'],
    result?: string | readonly ContentPart[],
    extra?: Extra<'action', 'toolCall'>,
  ): { readonly action: ActionEvent; readonly result: ObservationEvent };
  /** Adds the calls of one model response, then the results of those that have one. `extra` goes to the first call. */
  batch(calls: readonly CallSpec[], extra?: Extra<'action', 'toolCall'>): BuiltBatch;
  /**
   * Adds a call without a result, in a model response of its own unless `llmResponseId` is given. `result` is not used.
   */
  action(call: CallSpec | string, extra?: Extra<'action', 'toolCall'>): ActionEvent;
  /** Returns the result of a call. */
  observation(
    action: ActionEvent,
    content?: string | readonly ContentPart[],
    extra?: Extra<'observation', 'content'>,
  ): ObservationEvent;
  /** Adds the error of a call that the framework could not carry out. */
  error(action: ActionEvent, error?: string, extra?: Extra<'agent-error', 'error'>): AgentErrorEvent;
  /** Adds the user's refusal of a call. */
  reject(
    action: ActionEvent,
    reason?: string,
    extra?: Extra<'user-reject-observation', 'rejectionReason'>,
  ): UserRejectObservation;
}

/** Returns the {@link CallBuilder} of a log. */
export function callBuilder(log: {
  readonly create: CreateEvent;
  add<Added extends Event>(event: Added): Added;
  newResponseId(): string;
}): CallBuilder {
  const { create, add } = log;
  let calls = 0;
  const resultFields = (action: ActionEvent) => ({
    toolName: action.toolCall.name,
    toolCallId: action.toolCall.id,
    actionId: action.id,
  });
  const action: CallBuilder['action'] = (call, extra) => {
    const { name, input = {}, id = `call-${++calls}` } = typeof call === 'string' ? { name: call } : call;
    const toolCall = { id, name, arguments: typeof input === 'string' ? input : JSON.stringify(input) };
    const llmResponseId = extra?.llmResponseId ?? log.newResponseId();
    return add(create('action', { thought: [], ...extra, toolCall, llmResponseId }));
  };
  const observation: CallBuilder['observation'] = (of, content = 'ok', extra) =>
    add(create('observation', { ...resultFields(of), content: contentOf(content), ...extra }));
  const batch: CallBuilder['batch'] = (specs, extra) => {
    const llmResponseId = extra?.llmResponseId ?? log.newResponseId();
    const actions = specs.map((spec, index) =>
      action(spec, index === 0 ? { ...extra, llmResponseId } : { llmResponseId }),
    );
    const results = actions.flatMap((made, index) => {
      const result = specs[index]?.result;
      return result === undefined ? [] : [observation(made, result)];
    });
    return { actions, results };
  };
  return {
    action,
    observation,
    batch,
    call: (name, input = {}, result = 'ok', extra) => {
      const made = action({ name, input }, extra);
      return { action: made, result: observation(made, result) };
    },
    error: (of, error = 'the tool does not exist', extra) =>
      add(create('agent-error', { ...resultFields(of), error, ...extra })),
    reject: (of, rejectionReason = 'not now', extra) =>
      add(create('user-reject-observation', { ...resultFields(of), rejectionReason, ...extra })),
  };
}

/** Returns text as one text part, and content as it is. */
export function contentOf(content: string | readonly ContentPart[]): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
