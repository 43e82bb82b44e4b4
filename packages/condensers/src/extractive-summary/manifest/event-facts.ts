import { isMeaningful, isSentRole, isToolResult, isUserMessage } from '@palimpsest/events';
import type { ActionEvent, Event, EventId } from '@palimpsest/events';
import { callFacts } from './call-facts.js';
import type { KnownBefore } from './call-facts.js';
import type { Fact } from './fact.js';
import type { Manifest } from './manifest.js';

/** The source of facts. */
export interface FactSource {
  /** Any event of the log as it was logged. */
  original(id: EventId): Event | undefined;
}

/**
 * Reads the facts of a stretch of a log in order and adds them to the manifest of the preceding events. Events are read as they
 * were logged, so masked events count in full. Facts in `besides` are known but not added to the manifest.
 */
export function readFacts(
  events: Iterable<{ readonly id: EventId }>,
  source: FactSource,
  manifest: Manifest,
  besides?: KnownBefore,
): readonly Fact[] {
  const known: KnownBefore = {
    knowsFile: (path) => manifest.knowsFile(path) || besides?.knowsFile(path) === true,
    isFailing: (test) => manifest.isFailing(test) || besides?.isFailing(test) === true,
  };
  const facts: Fact[] = [];
  const calls = new Map<string, ActionEvent>();
  const add = (fact: Fact): void => {
    facts.push(fact);
    manifest.add(fact);
  };
  for (const { id } of events) {
    const event = source.original(id);
    if (event === undefined) continue;
    if (event.type === 'message') {
      const by = isUserMessage(event)
        ? 'user'
        : event.source === 'agent' && isSentRole(event.role)
          ? 'agent'
          : undefined;
      if (by === undefined || !event.content.some(isMeaningful)) continue;
      add({ kind: 'words', by, eventId: id });
    } else if (event.type === 'action') {
      calls.set(event.id, event).set(event.toolCall.id, event);
      if (event.thought.some(isMeaningful)) add({ kind: 'words', by: 'agent', eventId: id });
    } else if (event.type === 'condensation-summary') {
      add({ kind: 'earlier-summary', eventId: id });
    } else if (isToolResult(event)) {
      const logged = event.actionId === undefined ? undefined : source.original(event.actionId);
      const action = logged?.type === 'action' ? logged : calls.get(event.toolCallId);
      if (action === undefined) continue;
      for (const fact of callFacts(action, event, known)) add(fact);
    }
  }
  return facts;
}
