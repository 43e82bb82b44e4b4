import { eventFactory } from '../create-event.js';
import type { CreateEvent, EventFields } from '../create-event.js';
import type { CustomEvent, Event } from '../event.js';
import type {
  BrokenResponseEvent,
  Condensation,
  CondensationAttempt,
  CondensationRequest,
  CondensationRevert,
  ConversationErrorEvent,
  ConversationStateUpdateEvent,
  LLMUsageEvent,
  PauseEvent,
} from '../internal-events.js';
import type { CondensationSummaryEvent, MessageEvent, SystemPromptEvent } from '../llm-convertible-events.js';
import type { ContentPart } from '../message.js';
import { callBuilder, contentOf } from './call-builder.js';
import type { CallBuilder, Extra } from './call-builder.js';

/** Options of {@link logBuilder}. */
export interface LogBuilderOptions {
  /**
   * The prefix of the number in every event id. Two builders for one log need different prefixes. @defaultValue
   * `'event-'`
   */
  readonly idPrefix?: string;
  /** The time of the first event; each later one is a second later. @defaultValue 2026-01-01T00:00:00Z */
  readonly start?: Date;
}

/** Fields of a message that a test may set. */
export type ExtraMessageFields = Extra<'message', 'content' | 'role' | 'source'>;

/**
 * A writer of a log for a test, one event after the other. Event ids, times, tool call ids and response ids count up
 * from 1, so the same calls always make the same log. Every method adds to the log and returns what it added.
 */
export interface LogBuilder extends CallBuilder {
  /** Everything added so far: a copy. */
  readonly events: readonly Event[];
  /** Makes an event with the builder's next id and time, without adding it. */
  readonly create: CreateEvent;
  /** Adds events made elsewhere, as they are, so that a log can hold what it should not. */
  add(...events: readonly Event[]): void;

  system(systemPrompt?: string, extra?: Extra<'system-prompt', 'systemPrompt'>): SystemPromptEvent;
  user(content: string | readonly ContentPart[], extra?: ExtraMessageFields): MessageEvent;
  /** Adds a message of the model, a model response of its own unless `llmResponseId` is given. */
  agent(content: string | readonly ContentPart[], extra?: ExtraMessageFields): MessageEvent;
  /** Adds text of the framework that the model reads in the user's place. */
  environment(content: string | readonly ContentPart[], extra?: ExtraMessageFields): MessageEvent;
  summary(summary: string, extra?: Extra<'condensation-summary', 'summary'>): CondensationSummaryEvent;

  /** Forgets events, given by themselves or by their ids. */
  condensation(
    forgotten: readonly (Event | string)[],
    extra?: Extra<'condensation', 'forgottenEventIds'>,
  ): Condensation;
  request(reason?: string): CondensationRequest;
  attempt(fields?: Partial<EventFields<'condensation-attempt'>>): CondensationAttempt;
  revert(condensation: Condensation | string): CondensationRevert;
  usage(fields?: Partial<EventFields<'llm-usage'>>): LLMUsageEvent;
  /** Adds the part of an answer that came before the connection broke. */
  brokenResponse(text?: string, extra?: Partial<EventFields<'broken-response'>>): BrokenResponseEvent;
  pause(): PauseEvent;
  stateUpdate(key: string, value: unknown): ConversationStateUpdateEvent;
  conversationError(detail?: string, code?: string): ConversationErrorEvent;
  /** Adds an event of a package's own. Source `environment` unless given. */
  custom(type: CustomEvent['type'], fields?: Readonly<Record<string, unknown>>): CustomEvent;
}

/**
 * Returns a new {@link LogBuilder}.
 *
 * @example
 * ```ts
 * const log = logBuilder();
 * log.user('Fix the test.');
 * const { action } = log.call('run', { command: 'npm test' }, '1 failed');
 * log.condensation([action]);
 * View.fromEvents(log.events);
 * ```
 */
export function logBuilder(options: LogBuilderOptions = {}): LogBuilder {
  const { idPrefix = 'event-', start = new Date('2026-01-01T00:00:00.000Z') } = options;
  const events: Event[] = [];
  const count = { ids: 0, times: 0, responses: 0 };
  const create = eventFactory({
    newId: () => `${idPrefix}${++count.ids}`,
    now: () => new Date(start.getTime() + 1000 * count.times++),
  });
  const add = <Added extends Event>(event: Added): Added => {
    events.push(event);
    return event;
  };
  const newResponseId = () => `response-${++count.responses}`;

  return {
    get events() {
      return [...events];
    },
    create,
    add: (...added) => void events.push(...added),
    ...callBuilder({ create, add, newResponseId }),
    system: (systemPrompt = 'You are an agent.', extra) => add(create('system-prompt', { systemPrompt, ...extra })),
    user: (content, extra) =>
      add(create('message', { source: 'user', role: 'user', content: contentOf(content), ...extra })),
    agent: (content, extra) => {
      const llmResponseId = extra?.llmResponseId ?? newResponseId();
      return add(
        create('message', { source: 'agent', role: 'assistant', content: contentOf(content), ...extra, llmResponseId }),
      );
    },
    environment: (content, extra) =>
      add(create('message', { source: 'environment', role: 'user', content: contentOf(content), ...extra })),
    summary: (summary, extra) => add(create('condensation-summary', { summary, ...extra })),
    condensation: (forgotten, extra) =>
      add(create('condensation', { forgottenEventIds: forgotten.map(idOf), ...extra })),
    request: (reason) => add(create('condensation-request', reason === undefined ? {} : { reason })),
    attempt: (fields) =>
      add(create('condensation-attempt', { condenser: 'test', outcome: 'declined', reason: 'too few', ...fields })),
    revert: (condensation) => add(create('condensation-revert', { condensationId: idOf(condensation) })),
    usage: (fields) =>
      add(create('llm-usage', { responseId: `response-${count.responses}`, model: 'test-model', usage, ...fields })),
    brokenResponse: (text = 'I be', extra) =>
      add(
        create('broken-response', { content: [{ type: 'text', text }], reason: 'the connection was lost', ...extra }),
      ),
    pause: () => add(create('pause', {})),
    stateUpdate: (key, value) => add(create('conversation-state-update', { key, value })),
    conversationError: (detail = 'the provider went away', code = 'provider') =>
      add(create('conversation-error', { code, detail })),
    custom: (type, fields) => add(create(type, { source: 'environment', ...fields })),
  };
}

const usage = { uncachedInputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10 };

function idOf(event: { readonly id: string } | string): string {
  return typeof event === 'string' ? event : event.id;
}
