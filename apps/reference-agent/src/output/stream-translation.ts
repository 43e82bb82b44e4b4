import { isToolResult, toolResultContent } from '@palimpsest/events';
import type { ActionEvent, Condensation, ContentPart, Event, MessageEvent, ToolResultEvent } from '@palimpsest/events';
import { ViewProjection } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { requestTokens, tokensPerEstimate } from './request-size.js';
import type { StreamEvent } from './stream-event.js';

/** Translates the events of a log into lines of `stream-json`. Every event has to pass it, in order. Absent fields are undefined. */
export class StreamTranslation {
  readonly #view = new ViewProjection();

  /** @param past - the events of earlier runs */
  constructor(past: Iterable<Event>) {
    for (const event of past) this.#view.append(event);
  }

  /** Returns the lines of an event: none, if it concerns the program alone. */
  follow(event: Event): readonly StreamEvent[] {
    const before = this.#view.view;
    this.#view.append(event);
    if (isToolResult(event)) return [toolResult(event)];
    switch (event.type) {
      case 'message':
        return [message(event)];
      case 'action':
        return [...thought(event), toolCall(event)];
      case 'condensation':
        return [condensation(event, before, this.#view.view)];
      case 'condensation-request': {
        const { type, id, reason } = event;
        return [{ type, id, reason }];
      }
      case 'condensation-attempt': {
        const { type, id, condenser, outcome, reason } = event;
        return [{ type, id, condenser, outcome, reason }];
      }
      case 'llm-usage': {
        const { id, model, purpose, usage, usageIsEstimated, costUsd } = event;
        return [{ type: 'usage', id, model, purpose, usage, usageIsEstimated, costUsd }];
      }
      default:
        return [];
    }
  }
}

/** The words with which the model begins a response of calls. */
function thought({ id, thought }: ActionEvent): readonly StreamEvent[] {
  const text = textOf(thought);
  return text.trim() === '' ? [] : [{ type: 'message', id, from: 'model', text }];
}

function toolCall({ id, toolCall, summary, securityRisk: risk }: ActionEvent): StreamEvent {
  return { type: 'tool-call', id, name: toolCall.name, arguments: toolCall.arguments, summary, risk };
}

function condensation(event: Condensation, before: View, after: View): StreamEvent {
  const { condenser, reason } = event.metadata ?? {};
  const factor = tokensPerEstimate(before);
  const summary = [...after.events].find(
    (each) => each.type === 'condensation-summary' && each.condensationId === event.id,
  );
  return {
    type: 'condensation',
    id: event.id,
    condenser: stringOr(condenser),
    reason: stringOr(reason),
    tokensBefore: requestTokens(before, factor),
    tokensAfter: requestTokens(after, factor),
    forgotten: event.forgottenEventIds.length,
    masked: event.redactions?.length ?? 0,
    summary: event.summary,
    summaryTokens: summary === undefined ? undefined : Math.round(after.tokensOf(summary) * factor),
  };
}

const stringOr = (value: unknown) => (typeof value === 'string' ? value : undefined);

function message({ id, source, content, extendedContent = [], cutOff }: MessageEvent): StreamEvent {
  const from = source === 'user' ? 'user' : source === 'agent' ? 'model' : 'framework';
  const text = textOf([...content, ...extendedContent]);
  return { type: 'message', id, from, text, isCutOff: cutOff === undefined ? undefined : true };
}

function toolResult(event: ToolResultEvent): StreamEvent {
  const exitStatus = event.type === 'observation' ? event.details?.exitStatus : undefined;
  return {
    type: 'tool-result',
    id: event.id,
    call: event.actionId,
    name: event.toolName,
    status: statusOf(event),
    text: textOf(toolResultContent(event)),
    exitStatus: typeof exitStatus === 'number' ? exitStatus : undefined,
  };
}

function statusOf(event: ToolResultEvent): 'ok' | 'failed' | 'denied' | 'interrupted' {
  switch (event.type) {
    case 'user-reject-observation':
      return 'denied';
    case 'agent-error':
      return event.error.startsWith('Interrupted') ? 'interrupted' : 'failed';
    case 'observation':
      return event.isError === true ? 'failed' : 'ok';
  }
}

/** Returns the text of content. Anything else is named. */
function textOf(content: readonly ContentPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}
