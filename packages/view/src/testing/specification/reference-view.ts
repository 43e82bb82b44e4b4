import {
  isSentRole,
  isToolResult,
  messageContent,
  summaryContent,
  systemPromptContent,
  toolResultContent,
  isLLMConvertible,
  wellFormedPart,
  wellFormedToolCall,
} from '@palimpsest/events';
import type { Condensation, Event, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { callAlias, isSendableCallId } from '../../call-alias.js';
import { redactedCopy } from '../../redacted-copy.js';
import { callHistory, condensationsInForce, withoutRepeatedIds } from './call-history.js';
import type { CallHistory } from './call-history.js';
import { listFacts } from './list-facts.js';
import type { ListFacts } from './list-facts.js';
import type { SentPart } from '../sent-parts.js';

/** The view of a log, made by the rules as they are written, from the start and slowly: what a view is tested against. */
export interface ReferenceView extends ListFacts {
  readonly parts: readonly SentPart[];
}

/** The {@link ReferenceView} of a log. */
export function referenceView(events: readonly Event[]): ReferenceView {
  const log = withoutRepeatedIds(events);
  const facts = listFacts(storedList(log), callHistory(log));
  return { ...facts, parts: partsOf(facts, log) };
}

function storedList(log: readonly Event[]): readonly LLMConvertibleEvent[] {
  const inForce = condensationsInForce(log);
  const summaryIds = new Set<EventId>();
  let list: readonly LLMConvertibleEvent[] = [];
  log.forEach((event, position) => {
    if (isLLMConvertible(event)) {
      if (!summaryIds.has(event.id)) list = [...list, event];
    } else if (event.type === 'condensation' && inForce.has(event)) {
      const before = log.slice(0, position);
      list = condensed(list, event, callHistory(before, inForce), new Set(before.map(({ id }) => id)));
      for (const { id, type } of list)
        if (type === 'condensation-summary' && !log.some((one) => one.id === id)) summaryIds.add(id);
      if (event.summary !== undefined) summaryIds.add(`${event.id}-summary`);
    }
  });
  return list;
}

function condensed(
  list: readonly LLMConvertibleEvent[],
  condensation: Condensation,
  history: CallHistory,
  known: ReadonlySet<EventId>,
): readonly LLMConvertibleEvent[] {
  const waits = (id: EventId): boolean => {
    const call = history.byEvent.get(id);
    return call !== undefined && !call.repeated && call.result === undefined && call.batch === history.openBatch;
  };
  const isOpen = history.calls.some(({ action }) => waits(action.id));
  const isHeld = (id: EventId): boolean => isOpen && history.byEvent.get(id)?.batch === history.openBatch;
  const isForgotten = ({ id }: Event): boolean => condensation.forgottenEventIds.includes(id) && !isHeld(id);
  const remaining = list
    .filter((event) => !isForgotten(event))
    .map((event) => {
      const redaction = condensation.redactions?.findLast(({ eventId }) => eventId === event.id);
      return redaction === undefined || waits(event.id) ? event : (redactedCopy(event, redaction) ?? event);
    });
  if (condensation.summary === undefined) return remaining;
  const firstForgotten = list.findIndex(isForgotten);
  const offset = condensation.summaryOffset ?? (firstForgotten < 0 ? remaining.length : firstForgotten);
  let id = `${condensation.id}-summary`;
  while (known.has(id) || list.some((event) => event.id === id)) id += '-';
  return [
    ...remaining.slice(0, offset),
    {
      type: 'condensation-summary',
      id,
      timestamp: condensation.timestamp,
      source: 'environment',
      summary: condensation.summary,
      condensationId: condensation.id,
    },
    ...remaining.slice(offset),
  ];
}

/** What is sent of the list, without thinking. */
function partsOf({ events, sent }: ListFacts, log: readonly Event[]): readonly SentPart[] {
  const calls = log.filter((event) => event.type === 'action');
  const sentIdOf = (actionId: EventId): string => {
    const action = calls.find(({ id }) => id === actionId);
    if (action === undefined) return '';
    const first = calls.find(({ toolCall }) => toolCall.id === action.toolCall.id);
    return first === action && isSendableCallId(action.toolCall.id) ? action.toolCall.id : callAlias(action.id);
  };
  const parts: SentPart[] = [];
  const add = (role: SentPart['role'], items: readonly unknown[]): void => {
    for (const part of items) parts.push({ role, part });
  };
  const history = callHistory(log);
  const addCall = (action: LLMConvertibleEvent): void => {
    if (action.type === 'action')
      add('assistant', [{ ...wellFormedToolCall(action.toolCall), id: sentIdOf(action.id) }]);
  };
  const addResult = (result: LLMConvertibleEvent): void => {
    if (!isToolResult(result)) return;
    const isError = result.type !== 'observation' || result.isError === true;
    add('tool', [
      { id: sentIdOf(history.byEvent.get(result.id)?.action.id ?? ''), name: result.toolName.toWellFormed(), isError },
    ]);
    add('tool', toolResultContent(result));
  };
  const system = events.findLast((event) => event.type === 'system-prompt');
  if (system !== undefined) add('system', systemPromptContent(system));
  for (const item of sent) {
    if (item.kind === 'words') {
      const { event } = item;
      if (event.type === 'message' && isSentRole(event.role)) add(event.role, messageContent(event));
      if (event.type === 'condensation-summary') add('user', summaryContent(event));
    } else if (item.kind === 'late') {
      addCall(item.action);
      addResult(item.result);
    } else {
      const { carrier, calls: actions, results } = item.batch;
      const inList = events.find(({ id }) => id === carrier.id);
      const thoughts = [carrier, ...actions.filter(({ id }) => id !== carrier.id)].flatMap(({ thought }) => thought);
      if (inList !== undefined)
        add(
          'assistant',
          thoughts
            .filter((part) => (part.type === 'text' ? part.text.trim() !== '' : part.type === 'image'))
            .map((part) => wellFormedPart(part)),
        );
      actions.forEach(addCall);
      results.forEach(addResult);
    }
  }
  return parts;
}
