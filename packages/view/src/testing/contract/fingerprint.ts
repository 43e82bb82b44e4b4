import type { View } from '../../view.js';
import type { Outcome } from './subject.js';

/** Returns all observable data of a view, as text that is equal for equal views. */
export function fingerprint(view: View): string {
  return JSON.stringify({
    events: [...view.events],
    internalEvents: [...view.internalEvents],
    condensations: [...view.condensations],
    notes: [...view.notes],
    leftOut: [...view.leftOut],
    sent: [...view.sent().items],
    cutPoints: [...view.cutPoints],
    responses: [...view.events].map(({ id }) => view.responseOf(id)),
    tokens: [...view.events].map((_, index) => view.tokens(0, index + 1)),
    request: view.unhandledCondensationRequest,
    messages: view.toMessages(),
  });
}

/**
 * Returns a condenser's decision, as text that is equal for equal decisions. New ids, times and metadata are left out.
 */
export function decision(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'none':
      return 'none';
    case 'view':
      return JSON.stringify(outcome.view.toMessages());
    case 'condensation': {
      const { forgottenEventIds, redactions, summary, summaryOffset } = outcome.condensation;
      return JSON.stringify({ forgottenEventIds: [...forgottenEventIds].sort(), redactions, summary, summaryOffset });
    }
  }
}
