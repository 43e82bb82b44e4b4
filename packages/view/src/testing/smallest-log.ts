import type { Event } from '@palimpsest/events';

/**
 * Returns the smallest part of a log on which a check still throws. Events are removed in ever smaller pieces as long
 * as the check throws. Every part of a log is a log, so the result is a readable counterexample.
 */
export function smallestLog(events: readonly Event[], check: (events: readonly Event[]) => void): readonly Event[] {
  const fails = (candidate: readonly Event[]): boolean => {
    try {
      check(candidate);
      return false;
    } catch {
      return true;
    }
  };
  let smallest = events;
  for (let size = Math.ceil(events.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < smallest.length;) {
      const candidate = [...smallest.slice(0, start), ...smallest.slice(start + size)];
      if (fails(candidate)) smallest = candidate;
      else start += size;
    }
  }
  return smallest;
}

/** Returns one line for each event: what a view sees of it. */
export function describeLog(events: readonly Event[]): string {
  return events
    .map((event) => {
      switch (event.type) {
        case 'action': {
          const thinks = event.thinkingBlocks === undefined ? '' : ' thinking';
          return `${event.id} action ${event.toolCall.id} of ${event.llmResponseId}${thinks}`;
        }
        case 'observation':
        case 'user-reject-observation':
        case 'agent-error':
          return `${event.id} ${event.type} for ${event.toolCallId}`;
        case 'message': {
          const thinks = event.thinkingBlocks === undefined ? '' : ' thinking';
          const blank = event.content.length === 0 ? ' blank' : '';
          return `${event.id} message ${event.source}/${event.role} ${event.llmResponseId ?? ''}${thinks}${blank}`;
        }
        case 'condensation': {
          const { forgottenEventIds, redactions = [], summary, summaryOffset } = event;
          return `${event.id} condensation ${JSON.stringify({ forgottenEventIds, redactions, summary, summaryOffset })}`;
        }
        case 'condensation-revert':
          return `${event.id} revert of ${String(event.condensationId)}`;
        default:
          return `${event.id} ${event.type}`;
      }
    })
    .join('\n');
}
